import type { Producer, QueueDefinition } from '@app/queues';

/** A queue that outbox rows are sent to, with its producer. */
export interface OutboxQueue {
  readonly definition: QueueDefinition;
  readonly producer: Producer<QueueDefinition>;
}

export const OUTBOX_QUEUES = Symbol('OutboxQueues');
