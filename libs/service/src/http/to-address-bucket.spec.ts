import { describe, expect, it } from '@jest/globals';
import { toAddressBucket } from './to-address-bucket.js';

describe('toAddressBucket', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:aaaa::1', '2001:db8:1:2:0:0:0:0'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2:0:0:0:0'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2:0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:0'],
    ['unknown', 'unknown'],
    ['_hidden', 'unknown'],
    ['2001:db8:1:3::1', '2001:db8:1:3:0:0:0:0'],
  ])('toAddressBucket: converts %s to %s', (address, bucket) => {
    expect(toAddressBucket(address)).toBe(bucket);
  });
});
