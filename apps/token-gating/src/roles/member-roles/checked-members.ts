import { MINUTE_MS } from '@app/common';
import { type CommunityEvent, MAX_EVENTS_PER_BATCH } from '@app/dto';
import { createNameBasedUuid } from '../../callbacks/delivery.js';
import { randomUUID } from 'node:crypto';
import { Database } from '@app/database';
import { OutboxService } from '@app/outbox';
import type { CommunityEventsJob } from '@app/queues';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { addCommunityEvents } from '../../communities/events/community-event.publisher.js';
import { Counter } from 'prom-client';

const QUARTER_HOUR_MS = 15 * MINUTE_MS;
/** Members that are remembered for a quarter-hour. */
const MAX_MEMBERS = 50_000;
/** A community gets at most this share of the places that are left, so that many large ones leave some to others. */
const SHARE = 1 / 10;
/** The most members of one community, where no other community has members. */
export const MAX_MEMBERS_PER_COMMUNITY = MAX_MEMBERS * SHARE;

/** Collects the members whose roles were asked for, once for each quarter-hour. Its memory is bounded. */
export class CheckedMembers {
  private quarter = 0;
  private count = 0;
  /** The members of this quarter-hour by community, those that were taken included. */
  private readonly members = new Map<string, Set<string>>();
  private waiting: CommunityEvent[] = [];

  /** @param onDropped called with the number of members that are not counted */
  constructor(private readonly onDropped: (members: number) => void) {}

  /** @param now in milliseconds since 1970 */
  add(communityId: string, userId: string, now: number): void {
    const quarter = Math.floor(now / QUARTER_HOUR_MS);
    if (quarter !== this.quarter) this.begin(quarter);
    const members = this.members.get(communityId) ?? new Set();
    if (members.has(userId)) return;
    const left = MAX_MEMBERS - this.count;
    if (members.size >= Math.ceil((left + members.size) * SHARE)) {
      this.onDropped(1);
      return;
    }
    this.members.set(communityId, members.add(userId));
    this.count += 1;
    this.waiting.push(toEvent(communityId, userId, quarter));
  }

  /** Removes and returns the oldest events. Those of other instances have the same ids. */
  take(limit: number): CommunityEvent[] {
    return this.waiting.splice(0, limit);
  }

  private begin(quarter: number): void {
    this.quarter = quarter;
    this.count = 0;
    this.members.clear();
    // The events of at most two quarter-hours wait.
    if (this.waiting.length < MAX_MEMBERS) return;
    this.onDropped(this.waiting.length);
    this.waiting = [];
  }
}

const toEvent = (communityId: string, userId: string, quarter: number): CommunityEvent => ({
  id: createNameBasedUuid('member checked', communityId, userId, String(quarter)),
  at: new Date(quarter * QUARTER_HOUR_MS).toISOString(),
  type: 'member.checked',
  communityId,
  userId,
});

const SWEEP_INTERVAL_MS = 10_000;
const MAX_EVENTS_PER_SWEEP = 10 * MAX_EVENTS_PER_BATCH;

/**
 * Publishes to analytics which members were checked. Best effort: events are lost when the process is killed or the database is
 * unavailable, so that a check does not wait for them.
 */
@Injectable()
export class CheckedMembersSweeper extends Sweeper {
  private readonly members = new CheckedMembers((members) => {
    this.dropped.inc(members);
  });
  private readonly dropped: Counter;

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly outbox: OutboxService,
  ) {
    super(context, [{ name: 'publish checked members', sweep: () => this.publish() }], SWEEP_INTERVAL_MS);
    this.dropped = new Counter({
      name: 'checked_members_dropped_total',
      help: 'Member checks that analytics does not count, because too many members were checked in a quarter-hour.',
      registers: [context.metrics.registry],
    });
  }

  record(communityId: string, userId: string): void {
    this.members.add(communityId, userId, Date.now());
  }

  private async publish(): Promise<boolean> {
    const events = this.members.take(MAX_EVENTS_PER_SWEEP);
    if (events.length === 0) return false;
    const batches: CommunityEventsJob[] = [];
    for (let start = 0; start < events.length; start += MAX_EVENTS_PER_BATCH)
      batches.push({
        version: 1,
        batchId: randomUUID(),
        events: events.slice(start, start + MAX_EVENTS_PER_BATCH),
      });
    await this.database.transaction((manager) => addCommunityEvents(this.outbox, manager, batches));
    return events.length === MAX_EVENTS_PER_SWEEP;
  }
}
