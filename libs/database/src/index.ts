export { createDataSource } from './create-data-source.js';
export { createDatabase } from './create-database.js';
export {
  databaseConfigSchema,
  ServiceDatabaseConfig,
  serviceDatabaseConfigSchema,
} from './database.config.js';
export { isRolledBack, StatementError } from './database.errors.js';
export { createDatabaseProvider } from './database.provider.js';
export { Database } from './database.js';
export { formatTimestampSql } from './format-timestamp-sql.js';
export { lockTransaction } from './lock-transaction.js';
export { queryRows, type Queryable } from './query-rows.js';
export { type Statement } from './query-sequence.js';
export { hasReplacedMigrations } from './replaced-migrations.js';
export { RowQueue } from './row-queue.js';
export { RowQueueWorker } from './row-queue-worker.js';
export { runAfterCommit } from './run-after-commit.js';
export { defineCommand, EXIT_CODES, parseFlags, parseInput, textFlag, UsageError } from './command-line.js';
export { runDatabaseCommand } from './run-database-command.js';
export { runMigrateCommand } from './run-migrate-command.js';
export { runMigrations } from './run-migrations.js';
export { toStoredJson, toStoredText } from './stored-text.js';
export { safeIntegerTransformer } from './safe-integer-transformer.js';
