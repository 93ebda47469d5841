import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, type PgPoolClient, runMigrations } from 'bullmq';
import type { Logger } from 'pino';

const NO_SUCH_SCHEMA = '3F000';

/**
 * Sees to it that BullMQ's tables are there. Its migrations run once however many processes start together; where they
 * are done already, the role needs no right to create anything.
 */
export async function ensureQueueSchema(client: PgPoolClient, schema: string, logger: Logger): Promise<void> {
  if ((await loadSchemaVersion(client, schema)) >= LATEST_SCHEMA_VERSION) return;
  const version = await runMigrations(client, schema);
  logger.info({ schema, version }, 'queue tables are up to date');
}

async function loadSchemaVersion(client: PgPoolClient, schema: string): Promise<number> {
  try {
    return await assertSchemaCompatibility(client, schema);
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (name === 'SchemaMigrationRequiredError' || code === NO_SUCH_SCHEMA) return 0;
    throw error;
  }
}
