import { describe, expect, it } from '@jest/globals';
import { ChainHeadTracker, toMaxLagBlocks } from './chain-head-tracker.js';

describe('toMaxLagBlocks', () => {
  it.each([
    ['the configured number of blocks', 3, 12_000, 3n],
    ['at least two seconds of blocks on a fast chain', 3, 250, 8n],
    ['the configured number if the block time is unknown', 3, undefined, 3n],
    ['the configured number on a local chain', 0, 0, 0n],
  ])('toMaxLagBlocks: %s', (_, configured, blockTime, expected) => {
    expect(toMaxLagBlocks(configured, blockTime)).toBe(expected);
  });
});

describe('isStale', () => {
  const isStale = (
    ageSeconds: number,
    options: { blockTime?: number; hasFixedBlockTime?: boolean },
  ): boolean => new ChainHeadTracker({ hasFixedBlockTime: true, ...options }).isStale(ageSeconds * 1_000);

  it('isStale: is true after twenty block times, but not before two minutes', () => {
    expect([240, 241].map((age) => isStale(age, { blockTime: 12_000 }))).toEqual([false, true]);
    expect([120, 121].map((age) => isStale(age, { blockTime: 2_000 }))).toEqual([false, true]);
  });

  it.each([
    ['the block time is unknown', {}],
    ['the chain is local', { blockTime: 0 }],
    ['the chain produces blocks on demand', { blockTime: 250, hasFixedBlockTime: false }],
  ])('isStale: is never true if %s', (_, options) => {
    expect(isStale(1_000_000, options)).toBe(false);
    expect(new ChainHeadTracker({ hasFixedBlockTime: true, ...options }).canDetectStuckNode).toBe(false);
  });

  it('isStale: is false for a negative age, which comes from a slow clock', () => {
    expect(isStale(-5_000, { blockTime: 2_000 })).toBe(false);
  });
});
