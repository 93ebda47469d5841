import { Database, queryRows } from '@app/database';
import { type CommunityEvent, MAX_EVENTS_PER_BATCH, type WalletEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { communityEventsQueue, memberChecksQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { createHash } from 'node:crypto';

/** The same id for the same parts, however often it is asked for (RFC 9562, version 8): what runs twice names things once. */
export function createNameBasedUuid(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const COMMUNITIES = `
  SELECT community_id AS "communityId", joined_at::text AS "joinedAt" FROM token_gating.community_members m
  WHERE user_id = $1 AND (joined_at, community_id) > ($2::timestamptz, $3)
    AND EXISTS (SELECT FROM token_gating.communities c WHERE c.id = m.community_id)
  ORDER BY joined_at, community_id LIMIT $4`;

const membershipRows = z.array(z.object({ communityId: z.string(), joinedAt: z.string() }));
type MembershipRow = z.infer<typeof membershipRows>[number];

/** Events that one transaction writes. */
const MAX_EVENTS_PER_TRANSACTION = 5_000;
const START_CURSOR: MembershipRow = { communityId: '', joinedAt: '-infinity' };

export interface UserWalletEvents {
  readonly batchId: string;
  readonly userId: string;
  readonly events: readonly WalletEvent[];
}

/** Has a user's roles checked in every community, and tells each what became of the wallet. */
@Injectable()
export class WalletEventFanout {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxService,
  ) {}

  /** When it runs twice, everything it writes has the ids that it had the first time. */
  async dispatch(told: UserWalletEvents): Promise<void> {
    const pageSize = Math.ceil(MAX_EVENTS_PER_TRANSACTION / told.events.length);
    let page: readonly MembershipRow[];
    let last: MembershipRow | undefined = START_CURSOR;
    do {
      const after: MembershipRow = last;
      page = await this.database.transaction((manager) =>
        this.passOnPage(manager, told, { after, pageSize }),
      );
      last = page.at(-1);
    } while (last && page.length === pageSize);
  }

  private async passOnPage(
    manager: EntityManager,
    { batchId, userId, events }: UserWalletEvents,
    { after, pageSize }: { after: MembershipRow; pageSize: number },
  ): Promise<readonly MembershipRow[]> {
    const { joinedAt, communityId } = after;
    const page = membershipRows.parse(
      await queryRows(manager, COMMUNITIES, [userId, joinedAt, communityId, pageSize]),
    );
    const checks = page.map((community) => ({
      version: 1 as const,
      id: createNameBasedUuid('member check', batchId, userId, community.communityId),
      communityId: community.communityId,
      userIds: [userId],
    }));
    const told = page.flatMap((community) =>
      events.map((event) => toCommunityEvent(event, community.communityId)),
    );
    await this.outbox.add(manager, memberChecksQueue, checks);
    await this.outbox.add(manager, communityEventsQueue, toEventBatches(told));
    return page;
  }
}

const toCommunityEvent = (event: WalletEvent, communityId: string): CommunityEvent => ({
  ...event,
  id: createNameBasedUuid('wallet event', event.id, communityId),
  communityId,
});

/** A batch of the same events is the same batch. */
const toEventBatches = (events: readonly CommunityEvent[]) =>
  Array.from({ length: Math.ceil(events.length / MAX_EVENTS_PER_BATCH) }, (_, batch) => {
    const some = events.slice(batch * MAX_EVENTS_PER_BATCH, (batch + 1) * MAX_EVENTS_PER_BATCH);
    return {
      version: 1 as const,
      batchId: createNameBasedUuid('batch', ...some.map(({ id }) => id)),
      events: some,
    };
  });
