import { createConfigClass, envInteger, envRedisUrl } from '@app/config';
import { z } from 'zod';

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });

/** What an app with queues reads from its environment. */
export const queueConfigSchema = z
  .object({
    /** With it queues live on this Redis or Valkey, without it on PostgreSQL. */
    REDIS_URL: envRedisUrl.optional(),
    QUEUE_DATABASE_URL: postgresUrl.optional(),
    DATABASE_URL: postgresUrl.optional(),
    /** In front of every key on Redis. Its hash tag keeps the queues' keys together on a cluster. */
    QUEUE_PREFIX: z
      .string()
      .regex(/^[\w.-]*\{[\w.-]+\}[\w.-]*$/, 'must hold a hash tag, such as {gatehouse}')
      .default('{gatehouse}'),
    /** How long a job belongs to a worker that says nothing. */
    QUEUE_LOCK_MS: envInteger(100, 600_000).default(30_000),
    /** How often jobs of lost workers are looked for. Another worker has them after both times at most. */
    QUEUE_STALLED_INTERVAL_MS: envInteger(100, 600_000).default(15_000),
    /** How often a job may lose its worker before it counts as the job's fault. */
    QUEUE_MOST_STALLS: envInteger(1, 1_000).default(10),
    /** Replaces the first pause of every queue's back-off. */
    QUEUE_BACKOFF_MS: envInteger(1, 3_600_000).optional(),
    /** Replaces the number of failed jobs that every queue keeps. */
    QUEUE_KEEP_FAILED: envInteger(0, 1_000_000).optional(),
    /** What enqueueing may take before it counts as failed. */
    QUEUE_ENQUEUE_TIMEOUT_MS: envInteger(50, 10_000).default(1_000),
  })
  .refine(
    ({ REDIS_URL, QUEUE_DATABASE_URL, DATABASE_URL }) => REDIS_URL ?? QUEUE_DATABASE_URL ?? DATABASE_URL,
    {
      path: ['QUEUE_DATABASE_URL'],
      message: 'is required where there is neither REDIS_URL nor DATABASE_URL',
    },
  );

export class QueueConfig extends createConfigClass(queueConfigSchema) {}
