import { describe, expect, it } from '@jest/globals';
import { ChainHeadTracker, toMaxLagBlocks } from './chain-head-tracker.js';

describe('how far behind a node may be', () => {
  it.each([
    ['as many blocks as configured', 3, 12_000, 3n],
    ['no less than two seconds where blocks are fast', 3, 250, 8n],
    ['as many blocks as configured where nothing is known', 3, undefined, 3n],
    ['as many blocks as configured on a local chain', 0, 0, 0n],
  ])('%s', (_, configured, blockTime, expected) => {
    expect(toMaxLagBlocks(configured, blockTime)).toBe(expected);
  });
});

describe('how old the newest block may be', () => {
  const isStale = (
    ageSeconds: number,
    options: { blockTime?: number; hasFixedBlockTime?: boolean },
  ): boolean => new ChainHeadTracker({ hasFixedBlockTime: true, ...options }).isStale(ageSeconds * 1_000);

  it('is twenty blocks, and two minutes at least', () => {
    expect([240, 241].map((age) => isStale(age, { blockTime: 12_000 }))).toEqual([false, true]);
    expect([120, 121].map((age) => isStale(age, { blockTime: 2_000 }))).toEqual([false, true]);
  });

  it.each([
    ['the block time is not known', {}],
    ['the chain is local', { blockTime: 0 }],
    ['the chain makes blocks only when there is work', { blockTime: 250, hasFixedBlockTime: false }],
  ])('is any where %s', (_, options) => {
    expect(isStale(1_000_000, options)).toBe(false);
    expect(new ChainHeadTracker({ hasFixedBlockTime: true, ...options }).canDetectStuckNode).toBe(false);
  });

  it('is not negative: a clock that goes wrong makes no node stuck by being slow', () => {
    expect(isStale(-5_000, { blockTime: 2_000 })).toBe(false);
  });
});
