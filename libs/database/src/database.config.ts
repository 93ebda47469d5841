import { createConfigClass, databaseUrlConfigSchema, envInteger } from '@app/config';
import type { z } from 'zod';

/**
 * Environment variables of every app and command with a database.
 *
 * Connection budget of one PostgreSQL server, which must stay below its `max_connections` (default 100):
 *
 *     Σ over apps with a database: (replicas + surge of a rollout) × DATABASE_POOL_SIZE
 *       + 1 per migration that runs + superuser_reserved_connections (3)
 *
 * Two apps with three replicas each, a surge of one, and the default pool of 5: 2 × 4 × 5 + 2 + 3 = 45.
 */
export const databaseConfigSchema = databaseUrlConfigSchema.extend({
  DATABASE_POOL_SIZE: envInteger(1, 100)
    .default(5)
    .describe('Maximum of connections to `DATABASE_URL`, per replica.'),
});

/** Environment variables of an app that serves requests from its database. */
export const serviceDatabaseConfigSchema = databaseConfigSchema.extend({
  DATABASE_STATEMENT_TIMEOUT_MS: envInteger(100, 14_000)
    .default(5_000)
    .describe('Timeout of one statement: the server cancels it, and the request is answered 503.'),
});
export type ServiceDatabaseSettings = Readonly<z.infer<typeof serviceDatabaseConfigSchema>>;

export class ServiceDatabaseConfig extends createConfigClass(serviceDatabaseConfigSchema) {}
