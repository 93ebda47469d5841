import { type BeforeApplicationShutdown, Injectable, type Provider } from '@nestjs/common';
import { createDataSource, Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { RefusalStore, RateLimiter } from '@app/limits';
import { GatewayConfig } from '../../gateway.config.js';
import { createRateLimiter } from './create-rate-limiter.js';
import { createRefusalStore } from './create-refusal-store.js';
import { storage } from './storage.js';

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
