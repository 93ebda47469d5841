import { Database, rowsOf } from '@app/database';
import { type CommunityEvent, MOST_EVENTS, type WalletEvent } from '@app/dto';
import { Outbox } from '@app/outbox';
import { communityEventsQueue, memberChecksQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { derivedUuid } from './derived-uuid.js';

const COMMUNITIES = `
  SELECT community_id AS "communityId", joined_at::text AS "joinedAt" FROM token_gating.community_members m
  WHERE user_id = $1 AND (joined_at, community_id) > ($2::timestamptz, $3)
    AND EXISTS (SELECT FROM token_gating.communities c WHERE c.id = m.community_id)
  ORDER BY joined_at, community_id LIMIT $4`;

const memberships = z.array(z.object({ communityId: z.string(), joinedAt: z.string() }));
type Membership = z.infer<typeof memberships>[number];

/** Events that one transaction writes. */
const MOST_AT_ONCE = 5_000;
const BEFORE_ALL: Membership = { communityId: '', joinedAt: '-infinity' };

export interface UserWalletEvents {
  readonly batchId: string;
  readonly userId: string;
  readonly events: readonly WalletEvent[];
}

/** Has a user's roles checked in every community, and tells each what became of the wallet. */
@Injectable()
export class PassOnWalletEvents {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  /** When it runs twice, everything it writes has the ids that it had the first time. */
  async passOn(told: UserWalletEvents): Promise<void> {
    const pageSize = Math.ceil(MOST_AT_ONCE / told.events.length);
    let page: readonly Membership[];
    let last: Membership | undefined = BEFORE_ALL;
    do {
      const after: Membership = last;
      page = await this.database.transaction((manager) =>
        this.passOnPage(manager, told, { after, pageSize }),
      );
      last = page.at(-1);
    } while (last && page.length === pageSize);
  }

  private async passOnPage(
    manager: EntityManager,
    { batchId, userId, events }: UserWalletEvents,
    { after, pageSize }: { after: Membership; pageSize: number },
  ): Promise<readonly Membership[]> {
    const { joinedAt, communityId } = after;
    const page = memberships.parse(
      await rowsOf(manager, COMMUNITIES, [userId, joinedAt, communityId, pageSize]),
    );
    const checks = page.map((community) => ({
      version: 1 as const,
      id: derivedUuid('member check', batchId, userId, community.communityId),
      communityId: community.communityId,
      userIds: [userId],
    }));
    const told = page.flatMap((community) =>
      events.map((event) => inCommunity(event, community.communityId)),
    );
    await this.outbox.add(manager, memberChecksQueue, checks);
    await this.outbox.add(manager, communityEventsQueue, batches(told));
    return page;
  }
}

const inCommunity = (event: WalletEvent, communityId: string): CommunityEvent => ({
  ...event,
  id: derivedUuid('wallet event', event.id, communityId),
  communityId,
});

/** A batch of the same events is the same batch. */
const batches = (events: readonly CommunityEvent[]) =>
  Array.from({ length: Math.ceil(events.length / MOST_EVENTS) }, (_, batch) => {
    const some = events.slice(batch * MOST_EVENTS, (batch + 1) * MOST_EVENTS);
    return { version: 1 as const, batchId: derivedUuid('batch', ...some.map(({ id }) => id)), events: some };
  });
