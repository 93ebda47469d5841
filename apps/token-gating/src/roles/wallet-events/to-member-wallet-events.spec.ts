import { describe, expect, it } from '@jest/globals';
import { communityEvent } from '@app/dto';
import fc from 'fast-check';
import { toMemberWalletEvents } from './to-member-wallet-events.js';

const START = Date.parse('2026-11-23T10:00:00Z');
const toTime = (second: number): string =>
  `${new Date(START + second * 1_000).toISOString().slice(0, -1)}456Z`;
const period = fc
  .tuple(fc.nat(20), fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }))
  .map(([begin, length]) => ({ begin, end: length === undefined ? undefined : begin + length }));

describe('the wallets of a member', () => {
  it('wallets of a member: are held while both the membership and the link last, whatever is known first', () => {
    fc.assert(
      fc.property(period, period, ({ begin: joined, end: left }, { begin: linked, end: unlinked }) => {
        const membership = { communityId: 'community_1', userId: 'user_1', joinedAt: toTime(joined) };
        const link = { accountId: 'eip155:1:0xab', linkedAt: toTime(linked) };
        const leftAt = left === undefined ? undefined : toTime(left);
        const unlinkedAt = unlinked === undefined ? undefined : toTime(unlinked);
        const begin = Math.max(joined, linked);
        const end = Math.min(left ?? Infinity, unlinked ?? Infinity);
        const events = toMemberWalletEvents({ ...membership, leftAt }, { ...link, unlinkedAt });
        expect(events.map(({ type, at }) => [type, at])).toEqual([
          ...(begin < end ? [['wallet.linked', toTime(begin)]] : []),
          ...(begin < end && end < Infinity ? [['wallet.unlinked', toTime(end)]] : []),
        ]);
        for (const event of events) expect(communityEvent.parse(event)).toEqual(event);
        // What was published before both ends were known is part of it, where the other end is later.
        if (begin < end && end < Infinity) {
          const known = left === end ? { leftAt } : { unlinkedAt };
          expect(toMemberWalletEvents({ ...membership, ...known }, { ...link, ...known })).toEqual(events);
        }
      }),
    );
  });

  it('wallets of a member: do not depend on how many digits a time has', () => {
    const membership = { communityId: 'c', userId: 'u', joinedAt: '2026-11-23T10:00:00.123456Z' };
    const link = { accountId: 'a', linkedAt: '2026-11-23T10:00:00.123Z', unlinkedAt: '2026-11-23T10:00:01Z' };
    expect(toMemberWalletEvents(membership, link).map(({ at }) => at)).toEqual([
      membership.joinedAt,
      link.unlinkedAt,
    ]);
  });
});
