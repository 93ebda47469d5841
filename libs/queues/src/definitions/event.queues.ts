import { DAY_SECONDS } from '@app/common';
import { randomUUID } from 'node:crypto';
import { MAX_EVENTS_PER_BATCH, communityEvent, userEvent, walletEvent, operationEvent } from '@app/dto';
import { z } from 'zod';
import { defineQueue, checkStorableJson, type PayloadOf } from './define-queue.js';

const createBatch = <S extends z.ZodType>(event: S) =>
  z
    .strictObject({
      version: z.literal(1),
      batchId: z.uuid(),
      events: z.array(event).min(1).max(MAX_EVENTS_PER_BATCH),
    })
    .superRefine(checkStorableJson);

const anyBatch = createBatch(z.unknown());

/** The time of any batch can be read, even when it holds events that only a later release knows. */
const timedBatch = z.looseObject({ events: z.array(z.looseObject({ at: z.iso.datetime() })).min(1) });

function findOldestTime(data: unknown): number | undefined {
  const events = timedBatch.safeParse(data).data?.events;
  return events && Math.min(...events.map(({ at }) => Date.parse(at)));
}

/**
 * Defines a queue whose jobs are batches of events. Events within a batch are in order; batches may arrive out of order,
 * so that consumers sort by `at` and deduplicate by `id`. An event that a consumer cannot read does not block the others.
 * @param options.areMerged whether the outbox sends events of several transactions as one job, where each has few
 */
const defineEventQueue = <S extends z.ZodType>(
  name: string,
  event: S,
  { areMerged = false, description }: { readonly areMerged?: boolean; readonly description?: string } = {},
) => {
  const payload = createBatch(event);
  return defineQueue({
    name,
    ...(description !== undefined && { description }),
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
    merge: areMerged ? mergeBatches : undefined,
    jobId: ({ batchId }) => batchId,
    findOldestTime,
    options: {
      attempts: 12,
      backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
      removeOnComplete: true,
      removeOnFail: { count: 1_000, age: 7 * DAY_SECONDS },
    },
  });
};

/** Merges batches under new ids, because the same batches may be merged in another way when they are sent again. */
function mergeBatches<E>(batches: readonly { version: 1; batchId: string; events: E[] }[]) {
  const events = batches.flatMap((batch) => batch.events);
  return Array.from({ length: Math.ceil(events.length / MAX_EVENTS_PER_BATCH) }, (_, index) => ({
    version: 1 as const,
    batchId: randomUUID(),
    events: events.slice(index * MAX_EVENTS_PER_BATCH, (index + 1) * MAX_EVENTS_PER_BATCH),
  }));
}

/** Events of communities, from token-gating to analytics. */
export const communityEventsQueue = defineEventQueue('community-events', communityEvent, {
  description: 'What happened in communities, from token-gating to analytics.',
});

export type CommunityEventsJob = PayloadOf<typeof communityEventsQueue>;

/** What users did, from identity to token-gating. */
export const userEventsQueue = defineEventQueue('user-events', userEvent, {
  description: 'What users did, from identity to token-gating.',
});

export type UserEventsJob = PayloadOf<typeof userEventsQueue>;

/** Linked and unlinked wallets, from identity to token-gating, which evaluates the affected roles. */
export const walletEventsQueue = defineEventQueue('wallet-events', walletEvent, {
  description: 'Wallets that users linked and unlinked, from identity to token-gating.',
});

export type WalletEventsJob = PayloadOf<typeof walletEventsQueue>;

/** Changes of user operations and Solana transactions, from account-kit to analytics. */
export const operationEventsQueue = defineEventQueue('operation-events', operationEvent, {
  areMerged: true,
  description: 'Changes of user operations and Solana transactions, from account-kit to analytics.',
});

/** The same events, from account-kit to token-gating, which calls client applications back. */
export const operationCallbacksQueue = defineEventQueue('operation-callbacks', operationEvent, {
  areMerged: true,
  description:
    'Changes of user operations and Solana transactions, from account-kit to token-gating, which calls back.',
});

export type OperationEventsJob = PayloadOf<typeof operationEventsQueue>;
