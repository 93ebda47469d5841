export { afterCommit } from './after-commit.js';
export * from './create-data-source.js';
export * from './database-config.js';
export * from './database-failure.js';
export * from './database.js';
export * from './migrate-command.js';
export * from './migrate.js';
export * from './rows-of.js';
export * from './safe-integer-transformer.js';
