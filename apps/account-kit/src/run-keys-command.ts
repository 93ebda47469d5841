import { InvalidConfigurationError } from '@app/config';
import { createDatabase, type Database, ServiceDatabaseConfig } from '@app/database';
import { pino } from 'pino';
import { storage } from './database/storage.js';
import { materializeKeys } from './key-vault/stored-keys/materialize-keys.js';
import { rewrapKeys } from './key-vault/stored-keys/rewrap-keys.js';
import { createKeyVaults } from './key-vault/vaults/create-key-vaults.js';

/** Exit codes after sysexits(3), https://man.openbsd.org/sysexits */
const EXIT_CODES = { ok: 0, failed: 1, usage: 64, configuration: 78 } as const;

const USAGE = `Usage:
  npm run keys -- materialize
      Stores the keys of all accounts, sealed by the configured vault. From then on the accounts do not need their root.
  npm run keys -- rewrap
      Seals stored keys again that another vault or another root has sealed.

Both need the configuration of account-kit. They can be interrupted and repeated, and account-kit serves meanwhile.
`;

const COMMANDS = {
  materialize: async (database: Database) =>
    `Stored ${await materializeKeys(database, createKeyVaults())} keys.\n`,
  rewrap: async (database: Database) =>
    `Sealed ${await rewrapKeys(database, createKeyVaults())} keys again.\n`,
} as const;

/** Runs one command for the stored keys of accounts. @returns the exit code */
export async function runKeysCommand(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return EXIT_CODES.ok;
  }
  const command = Object.entries(COMMANDS).find(([name]) => name === args[0])?.[1];
  if (!command || args.length > 1) {
    process.stderr.write(USAGE);
    return EXIT_CODES.usage;
  }
  try {
    process.stdout.write(await withDatabase(command));
    return EXIT_CODES.ok;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof InvalidConfigurationError ? EXIT_CODES.configuration : EXIT_CODES.failed;
  }
}

async function withDatabase(work: (database: Database) => Promise<string>): Promise<string> {
  const { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS } = new ServiceDatabaseConfig();
  const settings = { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS, DATABASE_POOL_SIZE: 1 };
  const logger = pino({ level: 'silent' });
  const database = createDatabase(storage, settings, { name: 'account-kit-keys', logger });
  try {
    await database.connect();
    return await work(database);
  } finally {
    await database.close();
  }
}
