import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { CallbackKeyConfig } from './callback-key.config.js';
import { CallbackKeyStore } from './callback-key-store.js';
import { CallbackKeysController } from './callback-keys.controller.js';
import { CallbackKeyRing } from './callback-key-ring.js';

@Module({
  controllers: [CallbackKeysController],
  providers: [
    CallbackKeyConfig,
    {
      provide: CallbackKeyRing,
      inject: [CallbackKeyConfig, Database, ServiceContext],
      useFactory: (config: CallbackKeyConfig, database: Database, { logger, readiness }: ServiceContext) => {
        const store = new CallbackKeyStore(database, config.CALLBACK_KEY_SECRET, {
          lifetimeMs: config.CALLBACK_KEY_LIFETIME_MS,
          publishAheadMs: config.CALLBACK_KEY_PUBLISH_AHEAD_MS,
          overlapMs: config.CALLBACK_KEY_OVERLAP_MS,
          // Receivers verify callbacks on arrival, so retired keys are not needed.
          retentionMs: 0,
        });
        const keys = new CallbackKeyRing(store, logger);
        readiness.addCheck('callback-keys', () => {
          keys.checkLoaded();
        });
        return keys;
      },
    },
  ],
  exports: [CallbackKeyRing],
})
export class CallbackKeysModule {}
