import type { Logger } from 'pino';
import type { QueueConfig } from '../queue.config.js';
import { PostgresBackend } from './postgres-backend.js';
import type { QueueBackend } from './queue-backend.js';
import { RedisBackend } from './redis-backend.js';

/** The one place that decides where queues live: on Redis when there is one, else on PostgreSQL. */
export function chooseQueueBackend(config: QueueConfig, appName: string, logger: Logger): QueueBackend {
  const { REDIS_URL, QUEUE_DATABASE_URL, DATABASE_URL } = config;
  if (REDIS_URL !== undefined) return new RedisBackend(REDIS_URL, config);
  const url = QUEUE_DATABASE_URL ?? DATABASE_URL;
  if (url === undefined) throw new Error('There is no database for the queues');
  return new PostgresBackend(url, `${appName} queues`, logger);
}
