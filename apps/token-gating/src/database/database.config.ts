import { configClass, envInteger } from '@app/config';
import { databaseConfigSchema } from '@app/database';

export const storageConfigSchema = databaseConfigSchema.extend({
  /** What a statement may take before the server ends it and the request is answered 503. */
  DATABASE_STATEMENT_TIMEOUT_MS: envInteger(100, 14_000).default(5_000),
});

export class StorageConfig extends configClass(storageConfigSchema) {}
