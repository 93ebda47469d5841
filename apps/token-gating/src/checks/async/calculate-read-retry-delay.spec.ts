import { expect, it } from '@jest/globals';
import { calculateReadRetryDelay, calculateRoomRetryDelay } from './calculate-read-retry-delay.js';

const config = { CHECK_REREAD_FOR_MS: 600_000, CHECK_REREAD_AFTER_MS: 1_000 };
const start = new Date(1_000_000);
const at = (passedMs: number) => start.getTime() + passedMs;

it('calculateReadRetryDelay: spreads checks that failed together over the delay, which grows with the time up to half a minute', () => {
  const range = (passedMs: number) =>
    [() => 0, () => 0.999_999].map((random) => calculateReadRetryDelay(start, config, at(passedMs), random));
  expect(range(0)).toEqual([500, 1_500]);
  expect(range(8_000)).toEqual([4_000, 12_000]);
  expect(range(120_000)).toEqual([15_000, 45_000]);
});

it('calculateReadRetryDelay: ends when CHECK_REREAD_FOR_MS has passed since the reads first failed', () => {
  expect(calculateReadRetryDelay(start, config, at(599_000), () => 0.5)).toBeUndefined();
  expect(calculateReadRetryDelay(start, config, at(500_000), () => 0.5)).toBe(30_000);
});

it('calculateRoomRetryDelay: never ends, and never asks at the same time for all', () => {
  const delays = Array.from({ length: 50 }, () => calculateRoomRetryDelay(start, config, at(3_600_000)));
  for (const delay of delays) {
    expect(delay).toBeGreaterThanOrEqual(15_000);
    expect(delay).toBeLessThanOrEqual(45_000);
  }
  expect(new Set(delays).size).toBeGreaterThan(25);
});
