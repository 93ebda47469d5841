import { randomUUID } from 'node:crypto';
import type { UserEvent } from '@app/dto';
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
    const events = [{ ...event, id: randomUUID() }];
    await this.outbox.add(manager, userEventsQueue, [{ version: 1, batchId: randomUUID(), events }]);
  }
}
