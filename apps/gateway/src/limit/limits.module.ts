import { Module } from '@nestjs/common';
import { createDataSource, Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Refusals, RequestLimits } from '@app/shared-state';
import { GatewayConfig } from '../gateway.config.js';
import { chooseLimits } from './choose-limits.js';
import { chooseRefusals } from './choose-refusals.js';
import { CountersShutdown } from './counters-shutdown.js';
import { storage } from './storage.js';

@Module({
  providers: [
    {
      provide: Database,
      inject: [GatewayConfig, ServiceContext],
      // Not a readiness check: without its store a gateway admits its share from memory and stays ready.
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
    { provide: RequestLimits, inject: [GatewayConfig, Database, ServiceContext], useFactory: chooseLimits },
    { provide: Refusals, inject: [GatewayConfig, ServiceContext], useFactory: chooseRefusals },
    CountersShutdown,
  ],
  exports: [RequestLimits, Refusals],
})
export class LimitsModule {}
