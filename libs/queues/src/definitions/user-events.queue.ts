import { userEvent } from '@app/dto';
import type { PayloadOf } from './define-queue.js';
import { defineEventQueue } from './define-event-queue.js';

/** What users did, from identity to token-gating. */
export const userEventsQueue = defineEventQueue('user-events', userEvent);

export type UserEventsJob = PayloadOf<typeof userEventsQueue>;
