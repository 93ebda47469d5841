export { createDataSource } from './create-data-source.js';
export { createDatabase, createDatabaseProvider } from './database.provider.js';
export {
  databaseConfigSchema,
  ServiceDatabaseConfig,
  serviceDatabaseConfigSchema,
} from './database.config.js';
export { databaseUnavailable, isRolledBack, StatementError } from './database.errors.js';
export { Database, lockTransaction, queryRows, type Queryable, runAfterCommit } from './database.js';
export { formatTimestampSql, toStoredJson, toStoredText, safeIntegerTransformer } from './stored-values.js';
export { forgetReplacedMigrations, hasReplacedMigrations } from './replaced-migrations.js';
export type { Statement } from './reach-ins/query-sequence.js';
export { RowQueue, RowQueueWorker } from './row-queue.js';
export {
  defineCommand,
  EXIT_CODES,
  parseFlags,
  parseInput,
  textFlag,
  UsageError,
  runDatabaseCommand,
} from './run-database-command.js';
export { runMigrateCommand, runMigrations } from './run-migrations.js';
