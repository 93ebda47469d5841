import { type CommunityEvent, MAX_EVENTS_PER_BATCH } from '@app/dto';
import type { CommunityEventsJob } from '@app/queues';
import { createNameBasedUuid } from './create-name-based-uuid.js';

/** The id of a batch is derived from its events, so that a repeated job is one job. For events whose ids are derived, too. */
export const toEventBatches = (events: readonly CommunityEvent[]): CommunityEventsJob[] =>
  Array.from({ length: Math.ceil(events.length / MAX_EVENTS_PER_BATCH) }, (_, batch) => {
    const batchEvents = events.slice(batch * MAX_EVENTS_PER_BATCH, (batch + 1) * MAX_EVENTS_PER_BATCH);
    return {
      version: 1 as const,
      batchId: createNameBasedUuid('batch', ...batchEvents.map(({ id, at }) => `${id} ${at}`)),
      events: batchEvents,
    };
  });
