import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BlockAgeTracker } from './block-age-tracker.js';

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
