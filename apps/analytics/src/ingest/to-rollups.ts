import type { Count } from '../rollups/event-counts.queries.js';
import { toQuarterHour } from '../rollups/quarter-hours.js';
import type { Transition } from '../rollups/state-intervals.queries.js';
import type { Activity } from '../rollups/user-sketches.queries.js';
import type { StoredEvent } from './events.queries.js';

/** The states that events begin or end. */
export const TRANSITIONS: Partial<Record<StoredEvent['type'], Pick<Transition, 'kind' | 'ended'>>> = {
  'member.joined': { kind: 'membership', ended: false },
  'member.left': { kind: 'membership', ended: true },
  'role.granted': { kind: 'role', ended: false },
  'role.revoked': { kind: 'role', ended: true },
  'wallet.linked': { kind: 'wallet', ended: false },
  'wallet.unlinked': { kind: 'wallet', ended: true },
  'repair.joined': { kind: 'membership', ended: false },
  'repair.left': { kind: 'membership', ended: true },
  'repair.granted': { kind: 'role', ended: false },
  'repair.revoked': { kind: 'role', ended: true },
  'repair.linked': { kind: 'wallet', ended: false },
  'repair.unlinked': { kind: 'wallet', ended: true },
};

const findRoleId = (event: StoredEvent) => ('roleId' in event ? event.roleId : undefined);
const findAccountId = (event: StoredEvent) => ('accountId' in event ? event.accountId : undefined);

/** The states of members that events begin or end. */
export const toTransitions = (events: readonly StoredEvent[]): Transition[] =>
  events.flatMap((event) => toTransition(event) ?? []);

function toTransition(event: StoredEvent): Transition | undefined {
  const state = TRANSITIONS[event.type];
  if (!state) return undefined;
  const { communityId, userId, at } = event;
  return { communityId, userId, at, key: findRoleId(event) ?? findAccountId(event) ?? '', ...state };
}

export const toCount = (event: StoredEvent): Count => ({
  communityId: event.communityId,
  kind: event.type,
  roleId: findRoleId(event) ?? '',
  quarter: toQuarterHour(event.at),
  count: 1,
});

/** Events of these types are interactions of their users; the service causes the others. */
export const INTERACTIONS: readonly StoredEvent['type'][] = [
  'member.joined',
  'member.left',
  'member.checked',
  'member.signed_in',
  'member.reported',
  'wallet.linked',
];

export const toActivities = (events: readonly StoredEvent[]): Activity[] =>
  events
    .filter(({ type }) => INTERACTIONS.includes(type))
    .map(({ communityId, userId, at }) => ({ communityId, userId, quarter: toQuarterHour(at) }));
