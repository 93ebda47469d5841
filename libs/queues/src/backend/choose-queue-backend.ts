import { createRefusalCounter } from '@app/config';
import type { QueueConfig } from '../queue.config.js';
import { PostgresBackend } from './postgres-backend.js';
import type { QueueBackend } from './queue-backend.js';
import type { QueuesContext } from '../queues-context.js';
import { RedisBackend } from './redis-backend.js';

/** The only place that chooses the backend: Redis when REDIS_URL is set, else PostgreSQL (docs/adr/0008). */
export function chooseQueueBackend(
  config: QueueConfig,
  { name, logger, metrics }: QueuesContext,
): QueueBackend {
  const { REDIS_URL, QUEUE_DATABASE_URL, DATABASE_URL } = config;
  if (REDIS_URL !== undefined)
    return new RedisBackend(REDIS_URL, config, createRefusalCounter(metrics.registry));
  const url = QUEUE_DATABASE_URL ?? DATABASE_URL;
  if (url === undefined) throw new Error('Queues need REDIS_URL, QUEUE_DATABASE_URL or DATABASE_URL');
  return new PostgresBackend(url, `${name} queues`, logger);
}
