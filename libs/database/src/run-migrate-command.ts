import { InvalidConfigurationError, loadConfig } from '@app/config';
import { databaseConfigSchema } from './database.config.js';
import { runMigrations, type MigrationSettings } from './run-migrations.js';
import { formatErrorReason } from './format-error-reason.js';

/**
 * An app's `migrate` command: applies what is pending at `DATABASE_URL` and prints it. Exit code 0 when the database
 * has everything, 78 (EX_CONFIG) when the environment is not usable, else 1.
 */
export async function runMigrateCommand(settings: Omit<MigrationSettings, 'url'>): Promise<void> {
  const say = (text: string) => process.stdout.write(`${settings.schema}: ${text}\n`);
  try {
    const { DATABASE_URL } = loadConfig(databaseConfigSchema);
    const applied = await runMigrations({ ...settings, url: DATABASE_URL });
    if (applied.length === 0) say('nothing to apply');
    for (const name of applied) say(`applied ${name}`);
  } catch (error) {
    const isConfiguration = error instanceof InvalidConfigurationError;
    process.stderr.write(`${settings.schema}: ${formatErrorReason(error)}\n`);
    process.exitCode = isConfiguration ? 78 : 1;
  }
}
