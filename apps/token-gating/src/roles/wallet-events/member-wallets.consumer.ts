import { DAY_MS } from '@app/common';
import { Database } from '@app/database';
import type { CommunityEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import {
  Consumer,
  Consumes,
  handleTogether,
  type MemberWalletsJob,
  memberWalletsQueue,
  retryWhileUnavailable,
} from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { addCommunityEvents } from '../../communities/events/community-event.publisher.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { toEventBatches } from '../../communities/events/create-community-event.js';
import { findJoinTimes } from '../../communities/members/memberships.queries.js';
import { toMemberWalletEvents } from './to-member-wallet-events.js';

/**
 * Beginnings of links are published within this time: jobs do not wait longer for an unavailable app, and analytics
 * would drop older ones.
 */
const MAX_BEGIN_AGE_MS = 7 * DAY_MS;

/** Publishes the wallets that users have when they join or leave a community. */
@Injectable()
export class MemberWalletsService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly outbox: OutboxService,
  ) {}

  /** Idempotent: repeated events have the same ids. @throws AppError 503 while the database or identity is unavailable */
  async publish(communityId: string, memberships: Readonly<MemberWalletsJob['memberships']>): Promise<void> {
    const userIds = memberships.map(({ userId }) => userId);
    const { users } = await this.identity.fetchWalletLinks(communityId, userIds);
    const linksOf = new Map(users.map(({ userId, links }) => [userId, links]));
    // Read after the links: what ends from now on is published where it ends.
    const joinTimes = await findJoinTimes(this.database, communityId, userIds);
    const events = memberships
      // A user who joined and left meanwhile has a job for the whole membership.
      .filter(({ userId, joinedAt, leftAt }) => leftAt !== undefined || joinTimes.get(userId) === joinedAt)
      .flatMap((membership) =>
        (linksOf.get(membership.userId) ?? []).flatMap((link) =>
          toMemberWalletEvents({ ...membership, communityId }, link),
        ),
      )
      .filter(isRecentOrEnd);
    if (events.length === 0) return;
    await this.database.transaction((manager) =>
      addCommunityEvents(this.outbox, manager, toEventBatches(events)),
    );
  }
}

const isRecentOrEnd = ({ type, at }: CommunityEvent): boolean =>
  type !== 'wallet.linked' || Date.now() - Date.parse(at) < MAX_BEGIN_AGE_MS;

const CONCURRENCY = 4;

/** Publishes the wallets of users who joined or left a community. Retries while the database or identity is unavailable. */
@Consumes(memberWalletsQueue, { concurrency: CONCURRENCY })
export class MemberWalletsConsumer extends Consumer<MemberWalletsJob> {
  constructor(private readonly wallets: MemberWalletsService) {
    super();
  }

  async handle({ communityId, memberships }: MemberWalletsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () =>
      handleTogether(memberships, (some) => this.wallets.publish(communityId, some)),
    );
  }
}
