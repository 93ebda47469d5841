import { configClass, envInteger } from '@app/config';
import type { z } from 'zod';
import { databaseConfigSchema } from './database-config.js';

/** What an app that answers from its database reads from its environment. */
export const storageConfigSchema = databaseConfigSchema.extend({
  /** What a statement may take before the server ends it and the request is answered 503. */
  DATABASE_STATEMENT_TIMEOUT_MS: envInteger(100, 14_000).default(5_000),
});
export type StorageSettings = Readonly<z.infer<typeof storageConfigSchema>>;

export class StorageConfig extends configClass(storageConfigSchema) {}
