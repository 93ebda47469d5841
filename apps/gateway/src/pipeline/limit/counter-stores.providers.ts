import { Database, createDataSource } from '@app/database';
import { createRefusalCounter, formatRedisFailure } from '@app/config';
import { ServiceContext } from '@app/service';
import {
  createFailFastRedis,
  PostgresRateLimiter,
  PerMonthLimiter,
  MonthUsageQueries,
  RedisRateLimiter,
  RateLimiter,
  RateLimit,
  MemoryRefusalStore,
  RedisRefusalStore,
  RefusalStore,
} from '@app/limits';
import { Counter } from 'prom-client';
import { GatewayConfig } from '../../gateway.config.js';
import { type BeforeApplicationShutdown, Injectable, type Provider } from '@nestjs/common';
import { storage } from './storage.js';

/** A store that is down fails for every request, so failures are logged at most once per interval. */
const LOG_INTERVAL_MS = 10_000;

/** Chooses where requests are counted: in Redis if configured (exact over all replicas), else in PostgreSQL. */
function createRateLimiter(
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

/** The timeout is longer than COUNTER_TIMEOUT_MS: only the portal waits for refusals. */
const REDIS_TIMEOUT_MS = 500;

/** Refusals are recorded in Redis if configured, else in the memory of this process. */
function createRefusalStore({ REDIS_URL }: GatewayConfig, { metrics }: ServiceContext): RefusalStore {
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

/** Writes unsynced counters before shutdown; the store disconnects in the next shutdown phase. */
@Injectable()
class CounterFlushService implements BeforeApplicationShutdown {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly refusals: RefusalStore,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.refusals.close();
    await this.rateLimiter.close();
  }
}

/** The stores of request counters and refusals, and the gateway's database, which holds counters only. */
export const counterStoreProviders: Provider[] = [
  {
    provide: Database,
    inject: [GatewayConfig, ServiceContext],
    // No readiness check: without its store a gateway counts in memory and stays ready.
    useFactory: (config: GatewayConfig, { logger }: ServiceContext) => {
      const dataSource = createDataSource({
        ...storage,
        url: config.DATABASE_URL,
        poolSize: config.DATABASE_POOL_SIZE,
        applicationName: 'gateway',
        statementTimeoutMs: 1_000,
        onConnectionLost: (error) => {
          logger.warn({ reason: error.message }, 'an idle database connection was lost');
        },
      });
      return new Database(dataSource, logger);
    },
  },
  {
    provide: RateLimiter,
    inject: [GatewayConfig, Database, ServiceContext],
    useFactory: createRateLimiter,
  },
  { provide: RefusalStore, inject: [GatewayConfig, ServiceContext], useFactory: createRefusalStore },
  CounterFlushService,
];
