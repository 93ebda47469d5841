import { describe, expect, it } from '@jest/globals';
import type { ReadResult } from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import fc from 'fast-check';
import { countOwnedTokens } from './count-owned-tokens.js';

const address = (n: number): EvmAddress => `0x${n.toString(16).padStart(40, '0')}`;
const failed = (permanent: boolean): ReadResult<never> => ({
  ...{ ok: false, permanent: permanent, code: permanent ? 'reverted' : 'unavailable', message: '' },
});
const owner = fc.oneof(
  fc.nat(5).map((n): ReadResult<EvmAddress | null> => ({ ok: true, value: n === 0 ? null : address(n) })),
  fc.boolean().map(failed),
);
const owners = fc.array(owner, { maxLength: 20 });

describe('countOwnedTokens', () => {
  it('countOwnedTokens: counts the same with and without an index', () => {
    fc.assert(
      fc.property(owners, fc.integer({ min: 1, max: 5 }), (all, n) => {
        expect(countOwnedTokens(all, [address(n)], true)).toEqual(countOwnedTokens(all, [address(n)], false));
      }),
    );
  });

  it('countOwnedTokens: sums the tokens of all addresses and counts each unread token once', () => {
    fc.assert(
      fc.property(
        owners,
        fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        (all, numbers) => {
          const each = numbers.map((n) => countOwnedTokens(all, [address(n)], false));
          const together = countOwnedTokens(all, numbers.map(address), true);
          expect(together.known).toBe(each.reduce((sum, { known }) => sum + known, 0n));
          expect(together.unread).toEqual(each[0]?.unread);
          const unreadCount = all.filter(({ ok }) => !ok).length;
          expect(together.unread?.maxAmount).toBe(unreadCount === 0 ? undefined : BigInt(unreadCount));
        },
      ),
    );
  });
});
