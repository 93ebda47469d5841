import {
  Consumer,
  Consumes,
  handleEach,
  retryWhileUnavailable,
  userEventsQueue,
  type UserEventsJob,
} from '@app/queues';
import { Database, type Queryable, queryRows } from '@app/database';
import type { UserEvent, CommunityEvent } from '@app/dto';
import type { Job } from 'bullmq';
import { endConsent, endAllConsents } from '../../credential-revocations/ended-consents.js';
import { HeartbeatPublisher } from './heartbeat.publisher.js';
import { OutboxService } from '@app/outbox';
import { Injectable } from '@nestjs/common';
import { addCommunityEvents, CommunityEventPublisher } from '../events/community-event.publisher.js';
import type { EntityManager } from 'typeorm';
import { toEventBatches, createErasure, loadEventTime } from '../events/create-community-event.js';
import {
  FIRST_MEMBERSHIP_CURSOR,
  listMemberships,
  type MembershipCursor,
} from '../members/memberships.queries.js';
import { createNameBasedUuid } from '../../callbacks/delivery.js';
import { EndpointEventService } from '../../callbacks/endpoints/endpoint-event.service.js';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { eraseExplanations } from '../../checks/async/checks.queries.js';
import { findCommunity, lockCommunity } from '../access/communities.queries.js';
import { deleteOffersOfUser } from '../ownership-offers/ownership-offers.queries.js';
import { eraseDepartures } from '../members/removed-members.queries.js';
import { MembershipService } from '../members/membership.service.js';

/** Invalidates the asset claims that a user made until then: their links and tokens are verified by their rows. */
async function deleteAssetClaims(db: Queryable, userId: string, until: string): Promise<void> {
  const sql = 'DELETE FROM token_gating.asset_claims WHERE user_id = $1 AND created_at <= $2::timestamptz';
  await queryRows(db, sql, [userId, until]);
}

const COMMUNITY_PAGE_SIZE = 100;

type UserErased = Extract<UserEvent, { type: 'user.erased' }>;

/**
 * Revokes the credentials of an erased user, deletes the asset claims, lets the user leave all communities, deletes the role callbacks,
 * explanations of checks, offers of communities and ended memberships that name the user, and has analytics erase the user after that.
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
        COMMUNITY_PAGE_SIZE,
      );
      for (const { communityId } of page) await this.leave(communityId, userId);
      after = page.at(-1);
    }
    while (await this.deliveries.eraseUser(userId));
    await eraseExplanations(this.database, userId);
    await deleteOffersOfUser(this.database, userId);
    await eraseDepartures(this.database, userId);
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

/** Events that one transaction inserts. */
const EVENT_PAGE_SIZE = 5_000;

type SignIn = Extract<UserEvent, { type: 'user.signed_in' }>;

/** Publishes the sign-in of a user in the communities of the user to which the client application is attached. */
@Injectable()
export class SignInFanout {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxService,
  ) {}

  /** Idempotent: a repeated dispatch publishes events with the same ids. */
  async dispatch(signIn: SignIn): Promise<void> {
    let after: MembershipCursor | undefined = FIRST_MEMBERSHIP_CURSOR;
    while (after) {
      const cursor: MembershipCursor = after;
      const page = await this.database.transaction((manager) => this.dispatchPage(manager, signIn, cursor));
      after = page.length === EVENT_PAGE_SIZE ? page.at(-1) : undefined;
    }
  }

  private async dispatchPage(
    manager: EntityManager,
    { id, at, userId, clientId }: SignIn,
    after: MembershipCursor,
  ): Promise<readonly MembershipCursor[]> {
    const page = await listMemberships(manager, userId, after, EVENT_PAGE_SIZE, { clientId });
    const events = page.map(({ communityId }): CommunityEvent => ({
      id: createNameBasedUuid('member signed in', id, communityId),
      type: 'member.signed_in',
      ...{ at, communityId, userId },
    }));
    await addCommunityEvents(this.outbox, manager, toEventBatches(events));
    return page;
  }
}

const CONCURRENCY = 4;

/** Consumes what users did and what operators decided, and publishes it in communities and to endpoints. */
@Consumes(userEventsQueue, { concurrency: CONCURRENCY })
export class UserEventsConsumer extends Consumer<UserEventsJob> {
  constructor(
    private readonly database: Database,
    private readonly heartbeats: HeartbeatPublisher,
    private readonly signIns: SignInFanout,
    private readonly erasedUsers: ErasedUserService,
    private readonly endpoints: EndpointEventService,
  ) {
    super();
  }

  async handle({ events }: UserEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, async () => {
      // Heartbeats wait for other events: before their job is handled, nothing says that they are.
      const isHeartbeat = ({ type }: UserEvent) => type === 'producer.heartbeat';
      await handleEach(
        events.filter((event) => !isHeartbeat(event)),
        (event) => this.handleEvent(event),
      );
      for (const heartbeat of events.filter(isHeartbeat)) await this.handleEvent(heartbeat);
    });
  }

  private async handleEvent(event: UserEvent): Promise<void> {
    switch (event.type) {
      case 'user.signed_in':
        return this.signIns.dispatch(event);
      case 'user.erased':
        return this.erasedUsers.erase(event);
      case 'consent.ended':
        return endConsent(this.database, event.userId, event);
      case 'application.approved':
        return this.database.transaction((manager) => this.endpoints.publishApproval(manager, event));
      case 'producer.heartbeat':
        return this.heartbeats.publishOfIdentity(event.at);
    }
  }
}
