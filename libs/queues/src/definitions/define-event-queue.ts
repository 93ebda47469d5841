import { MAX_EVENTS_PER_BATCH } from '@app/dto';
import { z } from 'zod';
import { defineQueue } from './define-queue.js';
import { checkStorableJson } from './check-storable-json.js';

const createBatch = <S extends z.ZodType>(event: S) =>
  z
    .strictObject({
      version: z.literal(1),
      batchId: z.uuid(),
      events: z.array(event).min(1).max(MAX_EVENTS_PER_BATCH),
    })
    .superRefine(checkStorableJson);

const anyBatch = createBatch(z.unknown());

/**
 * Defines a queue whose jobs are batches of events. Events within a batch are in order; batches may arrive out of order,
 * so that consumers sort by `at` and deduplicate by `id`. An event that a consumer cannot read does not block the others.
 */
export const defineEventQueue = <S extends z.ZodType>(name: string, event: S) => {
  const payload = createBatch(event);
  return defineQueue({
    name,
    payload,
    split: (data) => {
      const batch = anyBatch.safeParse(data).data;
      if (!batch) return undefined;
      const isReadable = (one: unknown): boolean => event.safeParse(one).success;
      return {
        readable: payload.safeParse({ ...batch, events: batch.events.filter(isReadable) }).data,
        unreadable: { ...batch, events: batch.events.filter((one) => !isReadable(one)) },
      };
    },
    jobId: ({ batchId }) => batchId,
    options: {
      attempts: 12,
      backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
      removeOnComplete: true,
      removeOnFail: { count: 1_000, age: 7 * 86_400 },
    },
  });
};
