import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRetryAfter } from './retry-after.js';

const now = Date.UTC(2026, 10, 20, 12, 0, 0);

describe('parseRetryAfter', () => {
  it('parseRetryAfter: reads seconds', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), (seconds) => {
        expect(parseRetryAfter(String(seconds), now)).toBe(seconds * 1_000);
      }),
    );
  });

  it('parseRetryAfter: reads a date', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (seconds) => {
        const header = new Date(now + seconds * 1_000).toUTCString();
        expect(parseRetryAfter(header, now)).toBe(Math.max(0, seconds * 1_000));
      }),
    );
  });

  it.each([undefined, '', '-1', '1.5', '1e3', '0x10', ' 5', '9999999999', 'soon', '2026-11-20', ['1', '2']])(
    'parseRetryAfter: rejects %j',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );
});
