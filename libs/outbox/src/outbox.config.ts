import { HOUR_MS, MINUTE_MS, SECOND_MS, WakeUpSignal } from '@app/common';
import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';
import type { QueueDefinition, Producer } from '@app/queues';
import { Injectable } from '@nestjs/common';

const outboxConfigSchema = z.object({
  OUTBOX_POLL_MS: envInteger(10, MINUTE_MS)
    .default(SECOND_MS)
    .describe(
      'How often an instance looks for outbox rows that another instance committed and did not enqueue.',
    ),
  OUTBOX_UNSENDABLE_TIMEOUT_MS: envInteger(0, 24 * HOUR_MS)
    .default(15 * MINUTE_MS)
    .meta({
      description:
        'How long an outbox row that one instance cannot send waits for an instance that can, as two versions share the outbox during a rollout. After this time it is a dead letter.',
      formerName: 'OUTBOX_PATIENCE_MS',
    }),
});

export class OutboxConfig extends createConfigClass(outboxConfigSchema) {}

export interface OutboxOptions {
  /** The database schema of the app that owns the outbox. */
  readonly schema: string;
  /** The queues that its jobs may be sent to. */
  readonly queues: readonly QueueDefinition[];
  /** How long jobs are collected before they are sent, in milliseconds; 0 by default. For many jobs that no one waits for. */
  readonly batchWindowMs?: number;
  /** The same after BUSY_ROWS rows were collected; `batchWindowMs` by default. Each job costs more than an event in it. */
  readonly busyWindowMs?: number;
}

export const OUTBOX_OPTIONS = Symbol('OutboxOptions');

/** Wakes the relay when this process has committed jobs to the outbox. */
@Injectable()
export class OutboxSignal extends WakeUpSignal {}

/** A queue that outbox rows are sent to, with its producer. */
export interface OutboxQueue {
  readonly definition: QueueDefinition;
  readonly producer: Producer<QueueDefinition>;
}

export const OUTBOX_QUEUES = Symbol('OutboxQueues');
