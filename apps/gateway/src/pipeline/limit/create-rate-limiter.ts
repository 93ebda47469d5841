import type { Database } from '@app/database';
import type { ServiceContext } from '@app/service';
import {
  createFailFastRedis,
  PostgresRateLimiter,
  PerMonthLimiter,
  MonthUsageQueries,
  RedisRateLimiter,
  type RateLimiter,
  PerSecondLimiter,
} from '@app/rate-limits';
import { Counter } from 'prom-client';
import type { GatewayConfig } from '../../gateway.config.js';

/** A store that is away is away for every request: one line in this time says so. */
const LOG_INTERVAL_MS = 10_000;

/** The one place that decides where requests are counted: in Redis when there is one, exact over all gateways. */
export function createRateLimiter(
  { REDIS_URL, COUNTER_TIMEOUT_MS }: GatewayConfig,
  database: Database,
  { logger, metrics }: ServiceContext,
): RateLimiter {
  const failures = new Counter({
    name: 'gateway_counter_store_failures_total',
    help: 'Times the counter store could not be asked; requests were admitted from memory.',
    registers: [metrics.registry],
  });
  let toldAtMs = -Infinity;
  const onStoreFailure = (error: unknown): void => {
    failures.inc();
    if (performance.now() - toldAtMs < LOG_INTERVAL_MS) return;
    toldAtMs = performance.now();
    logger.warn({ err: error }, 'the counter store does not answer');
  };
  if (REDIS_URL !== undefined)
    return new RedisRateLimiter(createFailFastRedis(REDIS_URL, COUNTER_TIMEOUT_MS), { onStoreFailure });
  const ledger = new MonthUsageQueries((sql, parameters) => database.query(sql, parameters));
  return new PostgresRateLimiter(new PerSecondLimiter(), new PerMonthLimiter(ledger, { onStoreFailure }));
}
