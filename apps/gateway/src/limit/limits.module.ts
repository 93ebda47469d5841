import { Module } from '@nestjs/common';
import { createDataSource, Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { MonthLimits, PostgresMonthLedger, SecondLimits } from '@app/shared-state';
import { Counter } from 'prom-client';
import { GatewayConfig } from '../gateway.config.js';
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
    { provide: SecondLimits, useFactory: () => new SecondLimits() },
    {
      provide: MonthLimits,
      inject: [Database, ServiceContext],
      useFactory: (database: Database, { logger, metrics }: ServiceContext) => {
        const failures = new Counter({
          name: 'gateway_counter_store_failures_total',
          help: 'Times the month could not be booked; requests were admitted from memory.',
          registers: [metrics.registry],
        });
        const ledger = new PostgresMonthLedger((sql, parameters) => database.query(sql, parameters));
        const onStoreFailure = (error: unknown): void => {
          failures.inc();
          logger.warn({ err: error }, 'the counter store does not answer');
        };
        return new MonthLimits(ledger, { onStoreFailure });
      },
    },
    CountersShutdown,
  ],
  exports: [SecondLimits, MonthLimits],
})
export class LimitsModule {}
