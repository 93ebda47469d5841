import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BlockAgeTracker } from './block-age-tracker.js';

const minedAt = 1_800_000_000;
const mined = minedAt * 1_000;

describe('how old the newest block is', () => {
  it('is what both clocks say at least, ours and the one of the node', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (ours, theirs) => {
        const age = new BlockAgeTracker().measureAgeMs({
          blockTimestamp: minedAt,
          localTimeMs: mined + ours,
          nodeTimeMs: mined + theirs,
          observedAt: 0,
        });
        expect(age).toBe(Math.min(ours, Math.max(theirs, 0)));
      }),
    );
  });

  it('is nothing to go by where the node tells no time and the block was never seen before', () => {
    expect(
      new BlockAgeTracker().measureAgeMs({
        blockTimestamp: minedAt,
        localTimeMs: mined + 600_000,
        observedAt: 5_000,
      }),
    ).toBe(0);
  });

  it('is the time that it was watched for then, from anew with every block', () => {
    const age = new BlockAgeTracker();
    const ours = mined + 600_000;
    const ages = [
      age.measureAgeMs({ blockTimestamp: minedAt, localTimeMs: ours, observedAt: 5_000 }),
      age.measureAgeMs({ blockTimestamp: minedAt, localTimeMs: ours, observedAt: 305_000 }),
      age.measureAgeMs({ blockTimestamp: minedAt + 12, localTimeMs: ours, observedAt: 306_000 }),
      age.measureAgeMs({ blockTimestamp: minedAt + 12, localTimeMs: ours, observedAt: 316_000 }),
    ];
    expect(ages).toEqual([0, 300_000, 0, 10_000]);
  });
});
