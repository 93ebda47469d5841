import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, type PgPoolClient, runMigrations } from 'bullmq';
import type { Logger } from 'pino';

/** SQLSTATE invalid_schema_name. */
const INVALID_SCHEMA_NAME = '3F000';

/**
 * Runs BullMQ's migrations, once even when several processes start together. With an up-to-date schema the role needs no
 * privilege to create anything.
 */
export async function ensureQueueSchema(client: PgPoolClient, schema: string, logger: Logger): Promise<void> {
  if ((await loadSchemaVersion(client, schema)) >= LATEST_SCHEMA_VERSION) return;
  const version = await runMigrations(client, schema);
  logger.info({ schema, version }, 'queue schema migrated');
}

async function loadSchemaVersion(client: PgPoolClient, schema: string): Promise<number> {
  try {
    return await assertSchemaCompatibility(client, schema);
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (name === 'SchemaMigrationRequiredError' || code === INVALID_SCHEMA_NAME) return 0;
    throw error;
  }
}
