import { communityEvent } from '@app/dto';
import type { PayloadOf } from './define-queue.js';
import { defineEventQueue } from './define-event-queue.js';

/** Events of communities, from token-gating to analytics. */
export const communityEventsQueue = defineEventQueue('community-events', communityEvent);

export type CommunityEventsJob = PayloadOf<typeof communityEventsQueue>;
