import type { Producer, QueueDefinition } from '@app/queues';

/** Where rows of the outbox go. */
export interface OutboxQueue {
  readonly definition: QueueDefinition;
  readonly producer: Producer<QueueDefinition>;
}

export const OUTBOX_QUEUES = Symbol('OutboxQueues');
