import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChainHeadTracker, toMaxLagBlocks, BlockAgeTracker } from './chain-head-tracker.js';

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

const blockTimestamp = 1_800_000_000;
const blockTimeMs = blockTimestamp * 1_000;

describe('BlockAgeTracker', () => {
  it('BlockAgeTracker: measures the smaller age of the local and the node clock', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (local, node) => {
        const age = new BlockAgeTracker().measureAgeMs({
          blockTimestamp,
          localTimeMs: blockTimeMs + local,
          nodeTimeMs: blockTimeMs + node,
          observedAt: 0,
        });
        expect(age).toBe(Math.min(local, Math.max(node, 0)));
      }),
    );
  });

  it('BlockAgeTracker: measures 0 for a new block if the node sends no time', () => {
    expect(
      new BlockAgeTracker().measureAgeMs({
        blockTimestamp,
        localTimeMs: blockTimeMs + 600_000,
        observedAt: 5_000,
      }),
    ).toBe(0);
  });

  it('BlockAgeTracker: measures the time since the block was first observed, for each block anew', () => {
    const tracker = new BlockAgeTracker();
    const localTimeMs = blockTimeMs + 600_000;
    const ages = [
      tracker.measureAgeMs({ blockTimestamp, localTimeMs, observedAt: 5_000 }),
      tracker.measureAgeMs({ blockTimestamp, localTimeMs, observedAt: 305_000 }),
      tracker.measureAgeMs({ blockTimestamp: blockTimestamp + 12, localTimeMs, observedAt: 306_000 }),
      tracker.measureAgeMs({ blockTimestamp: blockTimestamp + 12, localTimeMs, observedAt: 316_000 }),
    ];
    expect(ages).toEqual([0, 300_000, 0, 10_000]);
  });
});
