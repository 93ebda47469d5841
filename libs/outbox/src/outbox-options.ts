import type { QueueDefinition } from '@app/queues';

export interface OutboxOptions {
  /** The database schema of the app that owns the outbox. */
  readonly schema: string;
  /** The queues that its jobs may be sent to. */
  readonly queues: readonly QueueDefinition[];
}

export const OUTBOX_OPTIONS = Symbol('OutboxOptions');
