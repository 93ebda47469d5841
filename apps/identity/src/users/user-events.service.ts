import { randomUUID } from 'node:crypto';
import { MAX_EVENTS_PER_BATCH, type UserEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { userEventsQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

type WithoutId<E> = E extends UserEvent ? Omit<E, 'id'> : never;

/** Publishes what users did to token-gating, which knows their communities. */
@Injectable()
export class UserEventsService {
  constructor(private readonly outbox: OutboxService) {}

  /** Call it in the transaction of the change. @param event its `at` is database time */
  async publish(manager: EntityManager, event: WithoutId<UserEvent>): Promise<void> {
    await this.publishAll(manager, [event]);
  }

  /** Call it in the transaction of the change. */
  async publishAll(manager: EntityManager, events: readonly WithoutId<UserEvent>[]): Promise<void> {
    const batches = [];
    for (let start = 0; start < events.length; start += MAX_EVENTS_PER_BATCH) {
      const batch = events.slice(start, start + MAX_EVENTS_PER_BATCH);
      batches.push({
        ...{ version: 1 as const, batchId: randomUUID() },
        events: batch.map((event) => ({ ...event, id: randomUUID() })),
      });
    }
    await this.outbox.add(manager, userEventsQueue, batches);
  }
}
