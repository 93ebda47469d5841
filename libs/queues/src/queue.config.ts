import { HOUR_MS, MINUTE_MS } from '@app/common';
import {
  createConfigClass,
  databaseUrlConfigSchema,
  envInteger,
  envPostgresUrl,
  redisConfigSchema,
} from '@app/config';
import { z } from 'zod';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** Environment variables of an app with queues. */
const queueConfigSchema = z
  .object({
    ...redisConfigSchema.shape,
    ...databaseUrlConfigSchema.partial().shape,
    QUEUE_DATABASE_URL: envPostgresUrl.optional().meta({
      description: 'PostgreSQL of the queues where there is no Redis.',
      fallback: '`DATABASE_URL`',
    }),
    QUEUE_PREFIX: z
      .string()
      .regex(/^[\w.-]*\{[\w.-]+\}[\w.-]*$/, 'must hold a hash tag, such as {gatehouse}')
      .default('{gatehouse}')
      .meta({
        description:
          'Prefix of all queue keys on Redis. Its hash tag keeps all keys on one node of a cluster.',
        format: 'text with a hash tag',
      }),
    QUEUE_LOCK_MS: envInteger(100, 10 * MINUTE_MS)
      .default(30_000)
      .describe(
        'How long a worker holds a job without renewing its lock. Only apps that consume queues have workers.',
      ),
    QUEUE_STALLED_INTERVAL_MS: envInteger(100, 10 * MINUTE_MS)
      .default(15_000)
      .describe(
        'How often workers look for stalled jobs. Another worker takes over after at most this time and `QUEUE_LOCK_MS`.',
      ),
    QUEUE_MAX_STALLS: envInteger(1, 1_000).default(10).meta({
      description: 'How often a job may lose its worker before it fails.',
      formerName: 'QUEUE_MOST_STALLS',
    }),
    QUEUE_BACKOFF_MS: envInteger(1, HOUR_MS).optional().meta({
      description: 'Delay after the first failed attempt of a job, for every queue.',
      fallback: 'by queue',
    }),
    QUEUE_KEEP_FAILED: envInteger(0, 1_000_000).optional().meta({
      description: 'Number of failed jobs that every queue keeps.',
      fallback: 'by queue',
    }),
    QUEUE_ENQUEUE_TIMEOUT_MS: envInteger(50, 10_000).default(1_000).describe('Timeout of enqueueing.'),
  })
  .refine(
    ({ REDIS_URL, QUEUE_DATABASE_URL, DATABASE_URL }) => REDIS_URL ?? QUEUE_DATABASE_URL ?? DATABASE_URL,
    {
      path: ['QUEUE_DATABASE_URL'],
      message: 'is required where there is neither REDIS_URL nor DATABASE_URL',
    },
  );

export class QueueConfig extends createConfigClass(queueConfigSchema) {}

/** The app around the queues; ServiceContext of @app/service implements it. */
export interface QueuesContext {
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: { readonly registry: Registry };
  readonly readiness: {
    onDrain: (listener: () => void) => void;
    addCheck: (name: string, check: () => void) => void;
    addStartupCheck: (name: string, check: () => Promise<void>) => void;
  };
}

export const QUEUES_CONTEXT = Symbol('QueuesContext');
