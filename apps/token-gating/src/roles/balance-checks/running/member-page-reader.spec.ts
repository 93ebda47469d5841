import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { truncatePage } from './member-page-reader.js';

const withWallets = (...counts: number[]) =>
  counts.map((count) => ({ wallets: Array<null>(count).fill(null) }));

describe('truncatePage', () => {
  it.each([
    ['all members that fit', [1, 1, 1], 3],
    ['no member that does not fit', [1, 2, 1], 2],
    ['a single member that exceeds the budget alone', [25, 1], 1],
    ['any number of members without wallets', [0, 0, 0, 0, 0, 0], 6],
    ['none of an empty list', [], 0],
  ])('truncatePage: takes %s', (_, counts, expected) => {
    expect(truncatePage(withWallets(...counts), { readsPerWallet: 10, maxReads: 35 })).toHaveLength(expected);
  });

  it('truncatePage: takes at least one member, and exceeds the budget only with a single one', () => {
    const counts = fc.array(fc.nat(25));
    fc.assert(
      fc.property(
        counts,
        fc.nat(800),
        fc.integer({ min: 1, max: 20_000 }),
        (wallets, readsPerWallet, maxReads) => {
          const members = withWallets(...wallets);
          const page = truncatePage(members, { readsPerWallet, maxReads });
          const reads = page.reduce((sum, member) => sum + member.wallets.length * readsPerWallet, 0);
          expect(page).toEqual(members.slice(0, page.length));
          expect(page.length > 0 || members.length === 0).toBe(true);
          expect(reads <= maxReads || page.length === 1).toBe(true);
        },
      ),
    );
  });
});
