import type { ReadFailure } from '@app/chain/evm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeQuantity, preferTransientFailure } from './judge-quantity.js';
import { toUndetermined } from './verdict.js';

const transient: ReadFailure = { ok: false, permanent: false, code: 'unavailable', message: 'down' };
const permanent: ReadFailure = { ok: false, permanent: true, code: 'reverted', message: 'reverted' };

const small = fc.bigInt({ min: 0n, max: 6n });
const bounds = fc.record({ min: small, max: fc.option(small, { nil: undefined }) });

describe('judging a quantity', () => {
  it('tells what is the same for everything that the failed reads may hide, and nothing else', () => {
    fc.assert(
      fc.property(small, fc.option(small, { nil: undefined }), bounds, (known, most, { min, max }) => {
        // Beyond all bounds above: as far as any amount has to be tried.
        const highest = known + (most ?? 20n);
        const possible = new Set<boolean>();
        for (let held = known; held <= highest; held += 1n)
          possible.add(held >= min && (max === undefined || held <= max));
        const expected = possible.size > 1 ? 'undetermined' : possible.has(true) ? 'granted' : 'not_granted';
        expect(judgeQuantity({ known, gap: { most, failure: transient } }, { min, max }).kind).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes both thresholds as inclusive', () => {
    const within = { min: 2n, max: 3n };
    const kinds = [1n, 2n, 3n, 4n].map((held) => judgeQuantity({ known: held }, within).kind);
    expect(kinds).toEqual(['not_granted', 'granted', 'granted', 'not_granted']);
  });

  it('names the failure that asking again may cure', () => {
    expect(preferTransientFailure(undefined, permanent)).toBe(permanent);
    expect(preferTransientFailure(permanent, transient)).toBe(transient);
    expect(preferTransientFailure(transient, permanent)).toBe(transient);
    const quantity = { known: 0n, gap: { most: 1n, failure: permanent } };
    expect(judgeQuantity(quantity, { min: 1n, max: undefined })).toEqual(toUndetermined(permanent));
  });
});
