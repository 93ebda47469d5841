import { createRefusalCounter } from '@app/config';
import type { ServiceContext } from '@app/service';
import { createFailFastRedis, MemoryRefusalStore, RedisRefusalStore, type RefusalStore } from '@app/limits';
import { Counter } from 'prom-client';
import type { GatewayConfig } from '../../gateway.config.js';

/** The timeout is longer than COUNTER_TIMEOUT_MS: only the portal waits for refusals. */
const REDIS_TIMEOUT_MS = 500;

/** Refusals are recorded in Redis if configured, else in the memory of this process. */
export function createRefusalStore({ REDIS_URL }: GatewayConfig, { metrics }: ServiceContext): RefusalStore {
  if (REDIS_URL === undefined) return new MemoryRefusalStore();
  const failures = new Counter({
    name: 'gateway_refusal_write_failures_total',
    help: 'Failed writes of the refusals of one second.',
    registers: [metrics.registry],
  });
  return new RedisRefusalStore(
    createFailFastRedis(REDIS_URL, REDIS_TIMEOUT_MS, { onRefusal: createRefusalCounter(metrics.registry) }),
    () => {
      failures.inc();
    },
  );
}
