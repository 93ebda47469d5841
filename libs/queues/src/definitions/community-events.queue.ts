import { communityEvent } from '@app/dto';
import type { PayloadOf } from './define-queue.js';
import { eventQueue } from './event-queue.js';

/** What happened in communities: from token-gating to analytics. */
export const communityEventsQueue = eventQueue('community-events', communityEvent);

export type CommunityEventsJob = PayloadOf<typeof communityEventsQueue>;
