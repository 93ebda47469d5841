import type { Database } from '@app/database';
import type { ServiceContext } from '@app/service';
import {
  failFastRedis,
  MemoryRequestLimits,
  MonthLimits,
  PostgresMonthLedger,
  RedisRequestLimits,
  type RequestLimits,
  SecondLimits,
} from '@app/shared-state';
import { Counter } from 'prom-client';
import type { GatewayConfig } from '../gateway.config.js';

/** A store that is away is away for every request: one line in this time says so. */
const TELL_EVERY_MS = 10_000;

/** The one place that decides where requests are counted: in Redis when there is one, exact over all gateways. */
export function chooseLimits(
  { REDIS_URL, COUNTER_TIMEOUT_MS }: GatewayConfig,
  database: Database,
  { logger, metrics }: ServiceContext,
): RequestLimits {
  const failures = new Counter({
    name: 'gateway_counter_store_failures_total',
    help: 'Times the counter store could not be asked; requests were admitted from memory.',
    registers: [metrics.registry],
  });
  let toldAtMs = -Infinity;
  const onStoreFailure = (error: unknown): void => {
    failures.inc();
    if (performance.now() - toldAtMs < TELL_EVERY_MS) return;
    toldAtMs = performance.now();
    logger.warn({ err: error }, 'the counter store does not answer');
  };
  if (REDIS_URL !== undefined)
    return new RedisRequestLimits(failFastRedis(REDIS_URL, COUNTER_TIMEOUT_MS), { onStoreFailure });
  const ledger = new PostgresMonthLedger((sql, parameters) => database.query(sql, parameters));
  return new MemoryRequestLimits(new SecondLimits(), new MonthLimits(ledger, { onStoreFailure }));
}
