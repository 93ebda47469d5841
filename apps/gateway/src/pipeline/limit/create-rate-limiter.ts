import type { Database } from '@app/database';
import { createRefusalCounter, formatRedisFailure } from '@app/config';
import type { ServiceContext } from '@app/service';
import {
  createFailFastRedis,
  PostgresRateLimiter,
  PerMonthLimiter,
  MonthUsageQueries,
  RedisRateLimiter,
  type RateLimiter,
  RateLimit,
} from '@app/limits';
import { Counter } from 'prom-client';
import type { GatewayConfig } from '../../gateway.config.js';

/** A store that is down fails for every request, so failures are logged at most once per interval. */
const LOG_INTERVAL_MS = 10_000;

/** Chooses where requests are counted: in Redis if configured (exact over all replicas), else in PostgreSQL. */
export function createRateLimiter(
  { REDIS_URL, COUNTER_TIMEOUT_MS }: GatewayConfig,
  database: Database,
  { logger, metrics }: ServiceContext,
): RateLimiter {
  const failures = new Counter({
    name: 'gateway_counter_store_failures_total',
    help: 'Failed accesses to the counter store; the requests were counted in memory.',
    registers: [metrics.registry],
  });
  let lastLoggedAtMs = -Infinity;
  let connectionFailure: string | undefined;
  const onStoreFailure = (error: unknown): void => {
    failures.inc();
    if (performance.now() - lastLoggedAtMs < LOG_INTERVAL_MS) return;
    lastLoggedAtMs = performance.now();
    logger.warn({ err: error, reason: connectionFailure }, 'the counter store is unavailable');
  };
  if (REDIS_URL !== undefined) {
    const redis = createFailFastRedis(REDIS_URL, COUNTER_TIMEOUT_MS, {
      onRefusal: createRefusalCounter(metrics.registry),
      onConnectionError: (error) => (connectionFailure = formatRedisFailure(error)),
    });
    redis.on('ready', () => (connectionFailure = undefined));
    return new RedisRateLimiter(redis, { onStoreFailure });
  }
  const queries = new MonthUsageQueries((sql, parameters) => database.query(sql, parameters));
  return new PostgresRateLimiter(new RateLimit(), new PerMonthLimiter(queries, { onStoreFailure }));
}
