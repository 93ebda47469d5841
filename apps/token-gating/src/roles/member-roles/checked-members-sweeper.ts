import { randomUUID } from 'node:crypto';
import { Database } from '@app/database';
import { MAX_EVENTS_PER_BATCH } from '@app/dto';
import { OutboxService } from '@app/outbox';
import type { CommunityEventsJob } from '@app/queues';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { addCommunityEvents } from '../../communities/events/community-event.publisher.js';
import { Counter } from 'prom-client';
import { CheckedMembers } from './checked-members.js';

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
