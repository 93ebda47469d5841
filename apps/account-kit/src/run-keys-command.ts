import { type Database, runDatabaseCommand } from '@app/database';
import { storage } from './database/storage.js';
import { rewrapCodehostSecrets } from './key-vault/codehost-apps/codehost-secrets.js';
import { materializeKeys } from './key-vault/stored-keys/materialize-keys.js';
import { rewrapKeys } from './key-vault/stored-keys/rewrap-keys.js';
import { createKeyVaults } from './key-vault/vaults/create-key-vaults.js';

const USAGE = `Usage:
  npm run gatehouse -- keys materialize
      Stores the keys of all accounts, sealed by the configured vault. From then on the accounts do not need their root.
  npm run gatehouse -- keys rewrap
      Seals stored keys, and secrets of OAuth applications, again that another vault or another root has sealed.

Both need the configuration of account-kit. They can be interrupted and repeated, and account-kit serves meanwhile.
`;

const COMMANDS = {
  materialize: async (database: Database) =>
    `Stored ${await materializeKeys(database, createKeyVaults())} keys.\n`,
  rewrap: async (database: Database) => {
    const vaults = createKeyVaults();
    const keys = await rewrapKeys(database, vaults);
    const secrets = await rewrapCodehostSecrets(database, vaults);
    return `Sealed ${keys} keys and ${secrets} secrets of OAuth applications again.\n`;
  },
} as const;

/** Runs one command for the stored keys of accounts. @returns the exit code */
export const runKeysCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'account-kit-keys',
    usage: USAGE,
    options: {},
    commands: COMMANDS,
  });
