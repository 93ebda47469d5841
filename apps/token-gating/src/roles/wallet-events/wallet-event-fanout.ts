import { Database } from '@app/database';
import type { CommunityEvent, WalletEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { memberChecksQueue, memberWalletsQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { addCommunityEvents } from '../../communities/events/add-community-events.js';
import type { EntityManager } from 'typeorm';
import { createNameBasedUuid } from '../../communities/events/create-name-based-uuid.js';
import { toEventBatches } from '../../communities/events/to-event-batches.js';
import {
  FIRST_MEMBERSHIP_CURSOR,
  listMemberships,
  type MembershipCursor,
} from '../../communities/members/memberships.queries.js';
import { createMemberWalletEvent, isBefore } from './to-member-wallet-events.js';

/** Events that one transaction inserts. */
const MAX_EVENTS_PER_TRANSACTION = 5_000;

/** A change of the user's own wallets. */
export type WalletLinkEvent = WalletEvent & { readonly type: 'wallet.linked' | 'wallet.unlinked' };

export const isWalletLinkEvent = (event: WalletEvent): event is WalletLinkEvent =>
  event.type !== 'wallet.shared';

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
