import type { CommunityEvent, TokenGatingRole } from '@app/dto';
import type { RoleChangeSubject } from '../delivery.js';

/** Role changes of one member, sent as one callback. */
export interface RoleChange {
  readonly subject: RoleChangeSubject;
  readonly roles: readonly TokenGatingRole[];
}

/** Groups role events by member, in the order of their first event. `at` is the time of the member's last event. */
export function collectRoleChanges(events: readonly CommunityEvent[]): RoleChange[] {
  const byMember = new Map<string, { subject: RoleChangeSubject; roles: TokenGatingRole[] }>();
  for (const event of events) {
    if (event.type !== 'role.granted' && event.type !== 'role.revoked') continue;
    const { communityId, userId, at, roleId } = event;
    const member = JSON.stringify([communityId, userId]);
    const change = byMember.get(member) ?? { subject: { communityId, userId, at }, roles: [] };
    byMember.set(member, change);
    change.subject.at = at;
    change.roles.push({ id: roleId, granted: event.type === 'role.granted' });
  }
  return [...byMember.values()];
}
