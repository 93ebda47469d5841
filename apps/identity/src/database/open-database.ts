import { createDataSource, Database } from '@app/database';
import type { Logger } from '@app/service';
import type { IdentityConfig } from '../identity-config.js';
import { storage } from './storage.js';

/** Identity's database, not connected yet. */
export function openDatabase(config: IdentityConfig, logger: Logger): Database {
  const dataSource = createDataSource({
    ...storage,
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    applicationName: 'identity',
    onConnectionLost: (error) => {
      logger.warn({ reason: error.message }, 'an idle database connection was lost');
    },
  });
  return new Database(dataSource, logger);
}
