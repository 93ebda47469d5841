import { randomUUID } from 'node:crypto';
import { queryRows } from '@app/database';
import type { UserPlatform } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { memberChecksQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent, EVENT_TIME_SQL } from '../events/create-community-event.js';

/** Who somebody is when they become a member. */
export interface NewMember {
  readonly userId: string;
  readonly platform: UserPlatform;
  readonly platformUserId: string;
}

// By user id: everybody who locks members locks them in that order.
const INSERT = `
  INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
  SELECT $1, user_id, platform, platform_user_id
  FROM unnest($2::text[], $3::text[], $4::text[]) AS new (user_id, platform, platform_user_id) ORDER BY user_id
  ON CONFLICT DO NOTHING RETURNING user_id AS "userId", ${EVENT_TIME_SQL} AS at`;
const DELETE = `
  DELETE FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2
  RETURNING user_id AS "userId", ${EVENT_TIME_SQL} AS at`;
const REVOKE = `
  DELETE FROM token_gating.role_assignments WHERE community_id = $1 AND user_id = $2 RETURNING role_id AS "roleId"`;
const COUNT = 'UPDATE token_gating.communities SET member_count = member_count + $2 WHERE id = $1';

const moved = z.array(z.object({ userId: z.string(), at: z.string() }));
const revoked = z.array(z.object({ roleId: z.string() }));

/**
 * Puts members in and takes them out, within a transaction that has locked the community: the count, the roles and what
 * is told of it all change with them.
 */
@Injectable()
export class MembershipService {
  constructor(
    private readonly events: CommunityEventPublisher,
    private readonly outbox: OutboxService,
  ) {}

  /** Those who are members already stay as they are. @param members 500 at most */
  async add(manager: EntityManager, communityId: string, members: readonly NewMember[]): Promise<void> {
    const columns = (['userId', 'platform', 'platformUserId'] as const).map((name) =>
      members.map((member) => member[name]),
    );
    const joined = moved.parse(await queryRows(manager, INSERT, [communityId, ...columns]));
    if (joined.length === 0) return;
    await queryRows(manager, COUNT, [communityId, joined.length]);
    const events = joined.map((one) => createCommunityEvent({ ...one, type: 'member.joined', communityId }));
    await this.events.publish(manager, events);
    const userIds = joined.map(({ userId }) => userId);
    await this.outbox.add(manager, memberChecksQueue, [
      { version: 1, id: randomUUID(), communityId, userIds },
    ]);
  }

  /** @returns whether the user was a member */
  async remove(manager: EntityManager, communityId: string, userId: string): Promise<boolean> {
    const [member] = moved.parse(await queryRows(manager, DELETE, [communityId, userId]));
    if (!member) return false;
    const { at } = member;
    const roles = revoked.parse(await queryRows(manager, REVOKE, [communityId, userId]));
    await queryRows(manager, COUNT, [communityId, -1]);
    await this.events.publish(manager, [
      ...roles.map(({ roleId }) =>
        createCommunityEvent({ type: 'role.revoked', at, communityId, userId, roleId }),
      ),
      createCommunityEvent({ type: 'member.left', at, communityId, userId }),
    ]);
    return true;
  }
}
