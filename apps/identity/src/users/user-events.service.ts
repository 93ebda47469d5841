import { Database, formatTimestampSql, queryRows } from '@app/database';
import { HeartbeatSweeper, ServiceContext } from '@app/service';
import { randomUUID } from 'node:crypto';
import { MAX_EVENTS_PER_BATCH, type Scope, type UserEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { userEventsQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const times = z.tuple([z.object({ at: z.string() })]);

type WithoutId<E> = E extends UserEvent ? Omit<E, 'id'> : never;

/** Publishes what users did, and what operators decided, to token-gating, which knows communities and callback endpoints. */
@Injectable()
export class UserEventsService {
  constructor(private readonly outbox: OutboxService) {}

  /** Call it in the transaction of the change. @param event its `at` is database time */
  async publish(manager: EntityManager, event: WithoutId<UserEvent>): Promise<void> {
    await this.publishAll(manager, [event]);
  }

  /** Call it in the transaction of the decision. @param scopes all that the client application has now */
  async publishApproval(manager: EntityManager, clientId: string, scopes: readonly Scope[]): Promise<void> {
    const sql = `SELECT ${formatTimestampSql('clock_timestamp()')} AS at`;
    const [{ at }] = times.parse(await queryRows(manager, sql));
    await this.publish(manager, { type: 'application.approved', at, clientId, scopes: [...scopes] });
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

/** Sends the heartbeat of this app by way of token-gating, which holds it back while earlier jobs are unfinished. */
@Injectable()
export class UserHeartbeatSweeper extends HeartbeatSweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly outbox: OutboxService,
    private readonly events: UserEventsService,
  ) {
    super(context);
  }

  protected async send(): Promise<void> {
    const at = await this.outbox.findSentUntil();
    await this.database.transaction((manager) =>
      this.events.publish(manager, { type: 'producer.heartbeat', at }),
    );
  }
}
