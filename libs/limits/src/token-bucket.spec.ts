import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TokenBucket } from './token-bucket.js';

describe('TokenBucket', () => {
  it('TokenBucket: grants a burst and then one request per interval, and says how long the next one waits', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 2_000 }),
        fc.array(fc.nat(5_000), { maxLength: 100 }),
        (capacity, msPerToken, steps) => {
          let clock = 0;
          const bucket = new TokenBucket(capacity, msPerToken, () => clock);
          let granted = 0;
          for (const step of steps) {
            clock += step;
            if (bucket.delayMs > 0) {
              clock += bucket.delayMs;
              if (bucket.delayMs > 0) return false;
            }
            bucket.take();
            granted += 1;
            if (granted > capacity + clock / msPerToken + 1e-6) return false;
          }
          return true;
        },
      ),
    );
  });

  it('TokenBucket: holds no token during a pause and one at its end; a shorter pause does not end it', () => {
    let clock = 0;
    const bucket = new TokenBucket(10, 100, () => clock);
    bucket.pause(1_000);
    bucket.pause(10);
    expect(bucket.delayMs).toBe(1_000);
    clock = 1_000;
    expect([bucket.hasToken(), bucket.hasToken(1)]).toEqual([true, false]);
  });
});
