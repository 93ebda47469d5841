import type { CommunityEvent, TokenGatingRole } from '@app/dto';

/** What became of the roles of one member, as one callback tells it. */
export interface RoleChange {
  readonly communityId: string;
  readonly userId: string;
  readonly roles: readonly TokenGatingRole[];
}

/** Gathers events by member; members in the order first seen. */
export function roleChangesIn(events: readonly CommunityEvent[]): RoleChange[] {
  const byMember = new Map<string, RoleChange & { roles: TokenGatingRole[] }>();
  for (const event of events) {
    if (event.type !== 'role.granted' && event.type !== 'role.revoked') continue;
    const { communityId, userId, roleId } = event;
    const member = JSON.stringify([communityId, userId]);
    let change = byMember.get(member);
    if (!change) byMember.set(member, (change = { communityId, userId, roles: [] }));
    change.roles.push({ id: roleId, granted: event.type === 'role.granted' });
  }
  return [...byMember.values()];
}
