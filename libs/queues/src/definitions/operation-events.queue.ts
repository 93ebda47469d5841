import { operationEvent } from '@app/dto';
import type { PayloadOf } from './define-queue.js';
import { defineEventQueue } from './define-event-queue.js';

/** Changes of user operations and Solana transactions, from account-kit to analytics. */
export const operationEventsQueue = defineEventQueue('operation-events', operationEvent, { areMerged: true });

/** The same events, from account-kit to token-gating, which calls client applications back. */
export const operationCallbacksQueue = defineEventQueue('operation-callbacks', operationEvent, {
  areMerged: true,
});

export type OperationEventsJob = PayloadOf<typeof operationEventsQueue>;
