import { createDataSource, Database } from '@app/database';
import type { Logger } from '@app/service';
import type { StorageConfig } from './database.config.js';
import { storage } from './storage.js';

/** Token-gating's database, not connected yet. */
export function openDatabase(config: StorageConfig, logger: Logger): Database {
  const dataSource = createDataSource({
    ...storage,
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    applicationName: 'token-gating',
    onConnectionLost: (error) => {
      logger.warn({ reason: error.message }, 'an idle database connection was lost');
    },
  });
  return new Database(dataSource, logger);
}
