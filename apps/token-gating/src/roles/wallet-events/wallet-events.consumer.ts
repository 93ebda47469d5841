import { Database } from '@app/database';
import type { CommunityEvent, WalletEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import {
  Consumer,
  Consumes,
  handleEach,
  memberChecksQueue,
  memberWalletsQueue,
  retryWhileUnavailable,
  type WalletEventsJob,
  walletEventsQueue,
} from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { addCommunityEvents } from '../../communities/events/community-event.publisher.js';
import type { EntityManager } from 'typeorm';
import { createNameBasedUuid } from '../../callbacks/delivery.js';
import { EndpointWalletEventService } from '../../callbacks/endpoints/endpoint-wallet-events.service.js';
import { toEventBatches } from '../../communities/events/create-community-event.js';
import {
  FIRST_MEMBERSHIP_CURSOR,
  listMemberships,
  type MembershipCursor,
} from '../../communities/members/memberships.queries.js';
import { revokeCredentials } from '../../credential-revocations/revoke-credentials.js';
import { createMemberWalletEvent, isBefore } from './to-member-wallet-events.js';

/** Events that one transaction inserts. */
const MAX_EVENTS_PER_TRANSACTION = 5_000;

/** A change of the user's own wallets. */
export type WalletLinkEvent = WalletEvent & { readonly type: 'wallet.linked' | 'wallet.unlinked' };

const isWalletLinkEvent = (event: WalletEvent): event is WalletLinkEvent => event.type !== 'wallet.shared';

interface UserWalletEvents {
  readonly batchId: string;
  readonly userId: string;
  /** The community in which the wallets count; undefined for all communities of the user. */
  readonly communityId: string | undefined;
  readonly events: readonly WalletLinkEvent[];
}

/** Sends wallet events of a user to the communities of the user in which they count, and has the user's roles checked there. */
@Injectable()
export class WalletEventFanout {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxService,
  ) {}

  /** Idempotent: a repeated dispatch creates jobs and events with the same ids. */
  async dispatch(walletEvents: UserWalletEvents): Promise<void> {
    const pageSize = Math.ceil(MAX_EVENTS_PER_TRANSACTION / walletEvents.events.length);
    let after: MembershipCursor | undefined = FIRST_MEMBERSHIP_CURSOR;
    while (after) {
      const cursor: MembershipCursor = after;
      const page = await this.database.transaction((manager) =>
        this.dispatchPage(manager, walletEvents, cursor, pageSize),
      );
      after = page.length === pageSize ? page.at(-1) : undefined;
    }
  }

  private async dispatchPage(
    manager: EntityManager,
    { batchId, userId, communityId, events }: UserWalletEvents,
    after: MembershipCursor,
    pageSize: number,
  ): Promise<readonly MembershipCursor[]> {
    const page = await listMemberships(manager, userId, after, pageSize, { communityId });
    const checks = page.map(({ communityId }) => ({
      version: 1 as const,
      id: createNameBasedUuid('member check', batchId, userId, communityId),
      communityId,
      userIds: [userId],
    }));
    const communityEvents = page.flatMap((membership) =>
      events.flatMap((event) => toCommunityEvent(event, { ...membership, userId })),
    );
    const isOlder = ({ joinedAt }: MembershipCursor): boolean =>
      events.some(({ type, at }) => type === 'wallet.linked' && isBefore(at, joinedAt));
    const joinsToRepeat = page.filter(isOlder).map(({ communityId, joinedAt }) => ({
      version: 1 as const,
      id: createNameBasedUuid('member wallets', batchId, userId, communityId),
      communityId,
      memberships: [{ userId, joinedAt }],
    }));
    await this.outbox.add(manager, memberChecksQueue, checks);
    await this.outbox.add(manager, memberWalletsQueue, joinsToRepeat);
    await addCommunityEvents(this.outbox, manager, toEventBatches(communityEvents));
    return page;
  }
}

/**
 * An unlinked wallet that the user did not have as a member has no event. A wallet that is older than the membership, because
 * the event is late, counts from the join on, if it is still linked: that is a job, which asks identity.
 */
const toCommunityEvent = (
  { type, accountId, at }: WalletLinkEvent,
  { communityId, joinedAt, userId }: MembershipCursor & { readonly userId: string },
): CommunityEvent[] =>
  isBefore(at, joinedAt) ? [] : [createMemberWalletEvent(type, { communityId, userId, accountId, at })];

const CONCURRENCY = 4;

/** Consumes wallet events of identity, and fans changes of wallets out to the communities of each user. */
@Consumes(walletEventsQueue, { concurrency: CONCURRENCY })
export class WalletEventsConsumer extends Consumer<WalletEventsJob> {
  constructor(
    private readonly database: Database,
    private readonly fanout: WalletEventFanout,
    private readonly endpoints: EndpointWalletEventService,
  ) {
    super();
  }

  async handle(payload: WalletEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.dispatch(payload));
  }

  private async dispatch({ batchId, events }: WalletEventsJob): Promise<void> {
    const changes = events.filter(isWalletLinkEvent);
    const tellEndpoints = await this.endpoints.prepare(changes);
    await this.revokeCredentials(changes);
    const parts = [...new Set(changes.map(({ userId }) => userId))].flatMap((userId) => {
      const ofUser = changes.filter((event) => event.userId === userId);
      return [...new Set(ofUser.map(({ communityId }) => communityId))].map((communityId) => ({
        userId,
        communityId,
        events: ofUser.filter((event) => event.communityId === communityId),
      }));
    });
    await handleEach(parts, (part) => this.fanout.dispatch({ batchId, ...part }));
    await tellEndpoints();
  }

  /** Credentials name wallets that count everywhere. A wallet that was linked again gets no credential back. */
  private async revokeCredentials(changes: readonly WalletLinkEvent[]): Promise<void> {
    for (const { type, userId, communityId, accountId, at } of changes) {
      if (type !== 'wallet.unlinked' || communityId !== undefined) continue;
      await revokeCredentials(this.database, userId, { accountId, before: at });
    }
  }
}
