import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { CallbackKeyConfig } from '../callback.config.js';
import { CallbackKeyRing, createCallbackKeyStore } from '../callback-key-ring.js';

@Module({
  providers: [
    CallbackKeyConfig,
    {
      provide: CallbackKeyRing,
      inject: [CallbackKeyConfig, Database, ServiceContext],
      useFactory: (config: CallbackKeyConfig, database: Database, { logger, readiness }: ServiceContext) => {
        const keys = new CallbackKeyRing(createCallbackKeyStore(database, config), logger);
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
