import { formatErrorReason } from '@app/common';
import { InvalidConfigurationError, loadConfig } from '@app/config';
import { databaseConfigSchema } from './database.config.js';
import { runMigrations, type MigrationSettings } from './run-migrations.js';

/**
 * An app's `migrate` command: applies pending migrations at `DATABASE_URL` and prints their names. Sets exit code 78
 * (EX_CONFIG) for an invalid environment, and 1 for any other failure.
 */
export async function runMigrateCommand(settings: Omit<MigrationSettings, 'url'>): Promise<void> {
  const print = (text: string) => process.stdout.write(`${settings.schema}: ${text}\n`);
  try {
    const { DATABASE_URL } = loadConfig(databaseConfigSchema);
    const applied = await runMigrations({ ...settings, url: DATABASE_URL });
    if (applied.length === 0) print('nothing to apply');
    for (const name of applied) print(`applied ${name}`);
  } catch (error) {
    const isConfiguration = error instanceof InvalidConfigurationError;
    process.stderr.write(`${settings.schema}: ${formatErrorReason(error)}\n`);
    process.exitCode = isConfiguration ? 78 : 1;
  }
}
