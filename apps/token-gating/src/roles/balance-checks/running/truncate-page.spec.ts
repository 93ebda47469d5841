import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { truncatePage } from './truncate-page.js';

const withWallets = (...counts: number[]) =>
  counts.map((count) => ({ wallets: Array<null>(count).fill(null) }));

describe('a page of members', () => {
  it.each([
    ['all that fit', [1, 1, 1], 3],
    ['none that does not', [1, 2, 1], 2],
    ['one that does not fit at all, alone', [25, 1], 1],
    ['any number without wallets', [0, 0, 0, 0, 0, 0], 6],
    ['nobody', [], 0],
  ])('holds %s', (_, counts, expected) => {
    expect(truncatePage(withWallets(...counts), { readsPerWallet: 10, mostReads: 35 })).toHaveLength(
      expected,
    );
  });

  it('comes to an end, and costs no more than one may unless it is of one member', () => {
    const counts = fc.array(fc.nat(25));
    fc.assert(
      fc.property(
        counts,
        fc.nat(800),
        fc.integer({ min: 1, max: 20_000 }),
        (wallets, readsPerWallet, mostReads) => {
          const members = withWallets(...wallets);
          const page = truncatePage(members, { readsPerWallet, mostReads });
          const reads = page.reduce((sum, member) => sum + member.wallets.length * readsPerWallet, 0);
          expect(page).toEqual(members.slice(0, page.length));
          expect(page.length > 0 || members.length === 0).toBe(true);
          expect(reads <= mostReads || page.length === 1).toBe(true);
        },
      ),
    );
  });
});
