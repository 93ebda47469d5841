import { randomUUID } from 'node:crypto';
import { type CommunityEvent, MOST_EVENTS } from '@app/dto';
import { Outbox } from '@app/outbox';
import { communityEventsQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { roleChangesIn } from './role-changes.js';
import { RoleCallbacks } from './role-callbacks.js';

/** Tells what happened in communities: analytics over the queue, and client applications by callback. */
@Injectable()
export class CommunityEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly callbacks: RoleCallbacks,
  ) {}

  /** Within the transaction of what happened, in order. */
  async emit(manager: EntityManager, events: readonly CommunityEvent[]): Promise<void> {
    const batches = [];
    for (let start = 0; start < events.length; start += MOST_EVENTS)
      batches.push({
        version: 1 as const,
        batchId: randomUUID(),
        events: events.slice(start, start + MOST_EVENTS),
      });
    await this.outbox.add(manager, communityEventsQueue, batches);
    await this.callbacks.write(manager, roleChangesIn(events));
  }
}
