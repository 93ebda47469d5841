import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCancellationFees } from './cancellation-fees.js';

const GWEI = 10n ** 9n;
const CEILING = { maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: 50n * GWEI };
const NOTHING = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };

/** Fees as operations have them: the tip is not above the fee. */
const fees = (maxFee: bigint, maxTip: bigint) =>
  fc
    .record({
      maxFeePerGas: fc.bigInt({ min: 0n, max: maxFee }),
      maxPriorityFeePerGas: fc.bigInt({ min: 0n, max: maxTip }),
    })
    .map(({ maxFeePerGas, maxPriorityFeePerGas: tip }) => ({
      maxFeePerGas,
      maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas,
    }));
const ofNow = fees(CEILING.maxFeePerGas, CEILING.maxPriorityFeePerGas);
/** Signed while the ceilings were higher. */
const ofCalls = fees(2n * CEILING.maxFeePerGas, 2n * CEILING.maxPriorityFeePerGas);
const bound = (fee: bigint) => (fee * 112n + 99n) / 100n;
const higher = (one: bigint, other: bigint) => (one > other ? one : other);

it('toCancellationFees: is 12 % above the calls, whatever cancellations a bundler has refused', () => {
  fc.assert(
    fc.property(ofCalls, (calls) => {
      expect(toCancellationFees(NOTHING, { calls, held: NOTHING }, CEILING)).toEqual({
        maxFeePerGas: bound(calls.maxFeePerGas),
        maxPriorityFeePerGas: bound(calls.maxPriorityFeePerGas),
      });
    }),
  );
});

it('toCancellationFees: never exceeds its ceiling or the dearest call by more than 12 %, however many cancellations a bundler holds', () => {
  fc.assert(
    fc.property(ofNow, ofCalls, fc.integer({ min: 1, max: 40 }), (now, calls, count) => {
      let held = NOTHING;
      for (let made = 0; made < count; made += 1) {
        const next = toCancellationFees(now, { calls, held }, CEILING);
        expect(next.maxFeePerGas).toBeGreaterThanOrEqual(held.maxFeePerGas);
        held = next;
      }
      for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const)
        expect(held[name]).toBeLessThanOrEqual(bound(higher(CEILING[name], calls[name])));
      expect(held.maxPriorityFeePerGas).toBeLessThanOrEqual(held.maxFeePerGas);
    }),
  );
});

it('toCancellationFees: is enough for a bundler that holds a cancellation, below the ceiling', () => {
  fc.assert(
    fc.property(ofNow, ofCalls, (now, calls) => {
      const held = toCancellationFees(now, { calls, held: NOTHING }, CEILING);
      const next = toCancellationFees(now, { calls, held }, CEILING);
      for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
        const isCapped = next[name] === bound(higher(CEILING[name], calls[name]));
        if (!isCapped) expect(next[name] * 100n).toBeGreaterThanOrEqual(held[name] * 110n);
      }
    }),
  );
});
