import { envInteger, createConfigClass } from '@app/config';
import { z } from 'zod';

/**
 * What an app with a database reads from its environment.
 *
 * Connection budget of one PostgreSQL server, which has to stay below its `max_connections` (100 by default):
 *
 *     Σ over apps with a database: (replicas + surge of a rollout) × DATABASE_POOL_SIZE
 *       + 1 per migration that runs + superuser_reserved_connections (3)
 *
 * Two apps with three replicas each, a surge of one, and the default pool of 5: 2 × 4 × 5 + 2 + 3 = 45.
 */
export const databaseConfigSchema = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_POOL_SIZE: envInteger(1, 100).default(5),
});

/** What an app that answers from its database reads from its environment. */
export const serviceDatabaseConfigSchema = databaseConfigSchema.extend({
  /** What a statement may take before the server ends it and the request is answered 503. */
  DATABASE_STATEMENT_TIMEOUT_MS: envInteger(100, 14_000).default(5_000),
});
export type ServiceDatabaseSettings = Readonly<z.infer<typeof serviceDatabaseConfigSchema>>;

export class ServiceDatabaseConfig extends createConfigClass(serviceDatabaseConfigSchema) {}
