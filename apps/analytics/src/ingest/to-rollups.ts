import type { Count } from '../rollups/event-counts.queries.js';
import { toQuarterHour } from '../rollups/quarter-hours.js';
import type { Transition } from '../rollups/state-intervals.queries.js';
import type { Activity } from '../rollups/user-sketches.queries.js';
import type { StoredEvent } from './events.queries.js';

/** The state of a member that an event begins or ends. */
export function toTransition(event: StoredEvent): Transition {
  const { communityId, userId, at } = event;
  const member = { communityId, userId, at };
  switch (event.type) {
    case 'member.joined':
    case 'member.left':
      return { ...member, kind: 'membership', key: '', ended: event.type === 'member.left' };
    case 'role.granted':
    case 'role.revoked':
      return { ...member, kind: 'role', key: event.roleId, ended: event.type === 'role.revoked' };
    case 'wallet.linked':
    case 'wallet.unlinked':
      return { ...member, kind: 'wallet', key: event.accountId, ended: event.type === 'wallet.unlinked' };
  }
}

export const toCount = (event: StoredEvent): Count => ({
  communityId: event.communityId,
  kind: event.type,
  roleId: 'roleId' in event ? event.roleId : '',
  quarter: toQuarterHour(event.at),
  count: 1,
});

/** Events of these types are interactions of their users; the service causes the others. */
const INTERACTIONS: readonly StoredEvent['type'][] = ['member.joined', 'member.left', 'wallet.linked'];

export const toActivities = (events: readonly StoredEvent[]): Activity[] =>
  events
    .filter(({ type }) => INTERACTIONS.includes(type))
    .map(({ communityId, userId, at }) => ({ communityId, userId, quarter: toQuarterHour(at) }));
