import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findRepairs, type ObservedStates } from './find-repairs.js';
import type { KnownState } from './reconciliation.queries.js';

const AT = '2026-11-23T10:00:00.000000Z';
const LONG_AGO = '2026-11-01T00:00:00.000000Z';
const JUST_NOW = '2026-11-23T09:59:30.000000Z';

const roles = fc.uniqueArray(fc.constantFrom<string>('r1', 'r2', 'r3'));
const since = fc.constantFrom(LONG_AGO, JUST_NOW);
const observedMember = fc.option(fc.record({ since, roles, roleSince: since }), { nil: undefined });
const knownState = fc.record({
  key: fc.constantFrom('', 'r1', 'r2', 'r3'),
  isHeld: fc.boolean(),
  isSettled: fc.boolean(),
});

const toKnown = ({ key, ...state }: { key: string; isHeld: boolean; isSettled: boolean }): KnownState => ({
  ...{ userId: 'ann', key, ...state },
  kind: key === '' ? 'membership' : 'role',
});

describe('repairs', () => {
  it('findRepairs: make history equal to what was observed, but for what has changed just now', () => {
    fc.assert(
      fc.property(
        observedMember,
        fc.uniqueArray(knownState, { selector: ({ key }) => key }),
        (member, states) => {
          const observed: ObservedStates = {
            ...{ communityId: 'community_1', at: AT, userIds: ['ann'] },
            members: member
              ? [
                  {
                    ...{ userId: 'ann', since: member.since, wallets: [] },
                    roles: member.roles.map((id) => ({ id, since: member.roleSince })),
                  },
                ]
              : [],
          };
          const known = states.map(toKnown);
          const repairs = findRepairs(observed, known);
          const held = new Map(known.map(({ key, isHeld }) => [key, isHeld]));
          for (const { type, roleId = '' } of repairs) held.set(roleId, /joined|granted/.test(type));
          for (const key of ['', 'r1', 'r2', 'r3']) {
            const wanted = member !== undefined && (key === '' || member.roles.includes(key));
            const began = key === '' ? member?.since : [member?.since, member?.roleSince].sort().at(-1);
            const before = known.find((state) => state.key === key);
            const isLeft = before?.isSettled === false || (wanted && !before?.isHeld && began === JUST_NOW);
            expect([key, held.get(key) ?? false]).toEqual([key, isLeft ? (before?.isHeld ?? false) : wanted]);
          }
          expect(new Set(repairs.map(({ id }) => id)).size).toBe(repairs.length);
          expect(findRepairs(observed, known)).toEqual(repairs);
        },
      ),
    );
  });

  it('findRepairs: name the wallet, and have the time of the comparison', () => {
    const wallet = { id: 'eip155:1:0xab', since: LONG_AGO };
    const members = [{ userId: 'ann', since: LONG_AGO, roles: [], wallets: [wallet] }];
    const observed = { communityId: 'community_1', at: AT, userIds: ['ann', 'bob'], members };
    const bob: KnownState = { userId: 'bob', kind: 'wallet', key: 'w', isHeld: true, isSettled: true };
    expect(findRepairs(observed, [bob])).toMatchObject([
      { type: 'repair.joined', userId: 'ann', at: AT },
      { type: 'repair.linked', userId: 'ann', accountId: wallet.id, at: AT },
      { type: 'repair.unlinked', userId: 'bob', accountId: 'w', at: AT },
    ]);
  });
});
