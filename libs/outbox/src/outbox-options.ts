import type { QueueDefinition } from '@app/queues';

export interface OutboxOptions {
  /** Of the app whose outbox it is. */
  readonly schema: string;
  /** Where its jobs go. */
  readonly queues: readonly QueueDefinition[];
}

export const OUTBOX_OPTIONS = Symbol('OutboxSettings');
