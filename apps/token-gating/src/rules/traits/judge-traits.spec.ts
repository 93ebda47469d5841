import { describe, expect, it } from '@jest/globals';
import { createReadFailure } from '@app/chain/evm';
import fc from 'fast-check';
import { limitTokens, MAX_HELD_TOKENS } from './held-tokens.js';
import { judgeTraits, type TraitOutcome } from './judge-traits.js';

const down = createReadFailure('unavailable', 'down');
const reverted = createReadFailure('reverted', 'reverted');
const small = fc.nat(5).map(BigInt);
const outcome = fc.constantFrom<TraitOutcome>(true, false, undefined, down, reverted);
const held = fc.array(fc.record({ amount: small, outcome }), { maxLength: 5 });
const bounds = fc
  .tuple(small, fc.option(small, { nil: undefined }))
  .map(([min, more]) => ({ min, max: more === undefined ? undefined : min + more }));

/** Every number that may match, for each choice of what is not known. */
function listSums(tokens: readonly { amount: bigint; outcome: TraitOutcome }[], unread: bigint): Set<bigint> {
  let sums = new Set([0n]);
  for (const { amount, outcome: known } of tokens) {
    const choices = known === true ? [amount] : known === false ? [0n] : [0n, amount];
    sums = new Set(Array.from(sums, (sum) => choices.map((choice) => sum + choice)).flat());
  }
  const extra = Array.from({ length: Number(unread) + 1 }, (_, n) => BigInt(n));
  return new Set(Array.from(sums, (sum) => extra.map((one) => sum + one)).flat());
}

describe('judgeTraits', () => {
  it('judgeTraits: is determined only where all that is not known gives the same verdict', () => {
    fc.assert(
      fc.property(held, small, bounds, (tokens, unreadAmount, { min, max }) => {
        const possible = new Set(
          Array.from(
            listSums(tokens, unreadAmount),
            (sum) => sum >= min && (max === undefined || sum <= max),
          ),
        );
        const heldTokens = tokens.map(({ amount }, id) => ({ id: BigInt(id), amount }));
        const unread = unreadAmount > 0n ? { maxAmount: unreadAmount, failure: reverted } : undefined;
        const { kind } = judgeTraits(
          { tokens: heldTokens, unread },
          tokens.map((token) => token.outcome),
          { min, max },
        );
        if (kind !== 'undetermined') expect([...possible]).toEqual([kind === 'granted']);
        // Single tokens leave no gaps between the numbers that are possible.
        else if (tokens.every(({ amount }) => amount <= 1n)) expect(possible.size).toBe(2);
      }),
      { numRuns: 1_000 },
    );
  });

  it('judgeTraits: counts tokens beyond the maximum as unread', () => {
    const tokens = Array.from({ length: MAX_HELD_TOKENS + 3 }, (_, id) => ({ id: BigInt(id), amount: 2n }));
    const limited = limitTokens({ tokens, unread: { maxAmount: 1n, failure: reverted } });
    expect(limited.tokens).toHaveLength(MAX_HELD_TOKENS);
    expect(limited.unread?.maxAmount).toBe(7n);
    expect(limitTokens({ tokens, unread: { maxAmount: undefined, failure: down } }).unread).toEqual({
      maxAmount: undefined,
      failure: down,
    });
  });
});
