import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deriveUserId } from './derive-user-id.js';

const ADDRESS = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

describe('deriveUserId', () => {
  it('deriveUserId: never changes, because stored records refer to it', () => {
    expect(deriveUserId('ethereum', ADDRESS)).toBe('user_4il1zcsXPwPzUGd2PLXEBR');
  });

  it('deriveUserId: differs by platform, and by chain for contract wallets', () => {
    const ids = [
      deriveUserId('ethereum', ADDRESS),
      deriveUserId('chat', ADDRESS),
      deriveUserId('ethereum', `eip155:1:${ADDRESS}`),
      deriveUserId('ethereum', `eip155:10:${ADDRESS}`),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('deriveUserId: has a fixed format', () => {
    fc.assert(
      fc.property(fc.string(), (text) => /^user_[0-9A-Za-z]{22}$/.test(deriveUserId('solana', text))),
    );
  });
});
