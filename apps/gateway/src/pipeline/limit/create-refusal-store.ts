import type { ServiceContext } from '@app/service';
import {
  createFailFastRedis,
  MemoryRefusalStore,
  RedisRefusalStore,
  type RefusalStore,
} from '@app/rate-limits';
import { Counter } from 'prom-client';
import type { GatewayConfig } from '../../gateway.config.js';

/** Nobody waits for it but people who look at a page. */
const REDIS_TIMEOUT_MS = 500;

/** Refusals are noted where requests are counted: in Redis when there is one. */
export function createRefusalStore({ REDIS_URL }: GatewayConfig, { metrics }: ServiceContext): RefusalStore {
  if (REDIS_URL === undefined) return new MemoryRefusalStore();
  const lost = new Counter({
    name: 'gateway_refusal_writes_failed_total',
    help: 'Times that the refusals of a second could not be noted for those who were refused.',
    registers: [metrics.registry],
  });
  return new RedisRefusalStore(createFailFastRedis(REDIS_URL, REDIS_TIMEOUT_MS), () => {
    lost.inc();
  });
}
