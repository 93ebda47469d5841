import type { ReadFailure } from '@app/chain/evm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeQuantity, preferTransientFailure } from './judge-quantity.js';
import { toUndetermined } from './verdict.js';

const transient: ReadFailure = { ok: false, permanent: false, code: 'unavailable', message: 'down' };
const permanent: ReadFailure = { ok: false, permanent: true, code: 'reverted', message: 'reverted' };

const small = fc.bigInt({ min: 0n, max: 6n });
const bounds = fc.record({ min: small, max: fc.option(small, { nil: undefined }) });

describe('judgeQuantity', () => {
  it('judgeQuantity: is determined exactly when every amount that failed reads may hide gives the same verdict', () => {
    fc.assert(
      fc.property(small, fc.option(small, { nil: undefined }), bounds, (known, maxUnread, { min, max }) => {
        // 20 exceeds all generated bounds.
        const highest = known + (maxUnread ?? 20n);
        const possible = new Set<boolean>();
        for (let held = known; held <= highest; held += 1n)
          possible.add(held >= min && (max === undefined || held <= max));
        const expected = possible.size > 1 ? 'undetermined' : possible.has(true) ? 'granted' : 'not_granted';
        expect(
          judgeQuantity({ known, unread: { maxAmount: maxUnread, failure: transient } }, { min, max }).kind,
        ).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('judgeQuantity: treats both thresholds as inclusive', () => {
    const within = { min: 2n, max: 3n };
    const kinds = [1n, 2n, 3n, 4n].map((held) => judgeQuantity({ known: held }, within).kind);
    expect(kinds).toEqual(['not_granted', 'granted', 'granted', 'not_granted']);
  });

  it('judgeQuantity: reports a transient failure rather than a permanent one', () => {
    expect(preferTransientFailure(undefined, permanent)).toBe(permanent);
    expect(preferTransientFailure(permanent, transient)).toBe(transient);
    expect(preferTransientFailure(transient, permanent)).toBe(transient);
    const quantity = { known: 0n, unread: { maxAmount: 1n, failure: permanent } };
    expect(judgeQuantity(quantity, { min: 1n, max: undefined })).toEqual(toUndetermined(permanent));
  });
});
