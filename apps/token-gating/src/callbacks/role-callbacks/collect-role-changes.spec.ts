import { describe, expect, it } from '@jest/globals';
import type { CommunityEvent } from '@app/dto';
import { collectRoleChanges } from './collect-role-changes.js';

const at = '2026-11-22T00:00:00.000Z';
const later = '2026-11-22T00:00:01.000Z';
const id = 'a0000000-0000-4000-8000-000000000000';

describe('collectRoleChanges', () => {
  it('collectRoleChanges: groups events by member, in the order of the events', () => {
    const ofMember = (communityId: string, userId: string) => ({ id, at, communityId, userId });
    const events: CommunityEvent[] = [
      { ...ofMember('c1', 'u1'), type: 'role.granted', roleId: 'a' },
      { ...ofMember('c1', 'u2'), type: 'member.joined' },
      { ...ofMember('c2', 'u1'), type: 'role.granted', roleId: 'a' },
      { ...ofMember('c1', 'u1'), at: later, type: 'role.revoked', roleId: 'b' },
    ];
    expect(collectRoleChanges(events)).toEqual([
      {
        subject: { communityId: 'c1', userId: 'u1', at: later },
        roles: [
          { id: 'a', granted: true },
          { id: 'b', granted: false },
        ],
      },
      { subject: { communityId: 'c2', userId: 'u1', at }, roles: [{ id: 'a', granted: true }] },
    ]);
  });
});
