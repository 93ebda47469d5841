import type { QueueDefinition } from '@app/queues';

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
