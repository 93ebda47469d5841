import { createConfigClass, envInteger, envRedisUrl } from '@app/config';
import { z } from 'zod';

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });

/** Environment variables of an app with queues. */
export const queueConfigSchema = z
  .object({
    /** Stores the queues in this Redis or Valkey instead of PostgreSQL. */
    REDIS_URL: envRedisUrl.optional(),
    QUEUE_DATABASE_URL: postgresUrl.optional(),
    DATABASE_URL: postgresUrl.optional(),
    /** The prefix of every Redis key. Its hash tag keeps all keys on one node of a cluster. */
    QUEUE_PREFIX: z
      .string()
      .regex(/^[\w.-]*\{[\w.-]+\}[\w.-]*$/, 'must hold a hash tag, such as {gatehouse}')
      .default('{gatehouse}'),
    /** How long a worker holds a job without renewing its lock. */
    QUEUE_LOCK_MS: envInteger(100, 600_000).default(30_000),
    /** How often workers look for stalled jobs. Another worker takes over after at most the sum of both times. */
    QUEUE_STALLED_INTERVAL_MS: envInteger(100, 600_000).default(15_000),
    /** How often a job may stall before it fails. */
    QUEUE_MOST_STALLS: envInteger(1, 1_000).default(10),
    /** Overrides the first delay of every queue's backoff. */
    QUEUE_BACKOFF_MS: envInteger(1, 3_600_000).optional(),
    /** Overrides the number of failed jobs that every queue keeps. */
    QUEUE_KEEP_FAILED: envInteger(0, 1_000_000).optional(),
    /** The timeout of enqueueing. */
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
