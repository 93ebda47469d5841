import { Database, type Queryable, queryRows } from '@app/database';
import type { UserEvent } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { endAllConsents } from '../../credential-revocations/ended-consents.js';
import { findCommunity, lockCommunity } from '../access/communities.queries.js';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createErasure, loadEventTime } from '../events/create-community-event.js';
import {
  FIRST_MEMBERSHIP_CURSOR,
  listMemberships,
  type MembershipCursor,
} from '../members/memberships.queries.js';
import { MembershipService } from '../members/membership.service.js';

/** Invalidates the asset claims that a user made until then: their links and tokens are verified by their rows. */
async function deleteAssetClaims(db: Queryable, userId: string, until: string): Promise<void> {
  const sql = 'DELETE FROM token_gating.asset_claims WHERE user_id = $1 AND created_at <= $2::timestamptz';
  await queryRows(db, sql, [userId, until]);
}

const PAGE_SIZE = 100;

type UserErased = Extract<UserEvent, { type: 'user.erased' }>;

/**
 * Revokes the credentials of an erased user, deletes the asset claims, lets the user leave all communities, deletes the role callbacks that
 * name the user, and has analytics erase the user after that.
 */
@Injectable()
export class ErasedUserService {
  constructor(
    private readonly database: Database,
    private readonly memberships: MembershipService,
    private readonly deliveries: DeliveryRepository,
    private readonly events: CommunityEventPublisher,
  ) {}

  /** Idempotent. */
  async erase({ id, at: erasedAt, userId }: UserErased): Promise<void> {
    const until = await endAllConsents(this.database, userId, erasedAt);
    await deleteAssetClaims(this.database, userId, until);
    let after: MembershipCursor | undefined = FIRST_MEMBERSHIP_CURSOR;
    while (after) {
      const page: readonly MembershipCursor[] = await listMemberships(
        this.database,
        userId,
        after,
        PAGE_SIZE,
      );
      for (const { communityId } of page) await this.leave(communityId, userId);
      after = page.at(-1);
    }
    while (await this.deliveries.eraseUser(userId));
    await this.database.transaction(async (manager) => {
      // The time of the erasure is later than the events of leaving.
      const at = await loadEventTime(manager);
      await this.events.publish(manager, [createErasure(id, at, userId)]);
    });
  }

  private async leave(communityId: string, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockCommunity(manager, communityId);
      const community = await findCommunity(manager, communityId);
      if (community) await this.memberships.remove(manager, community, userId);
    });
  }
}
