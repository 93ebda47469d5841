import 'reflect-metadata';
import { defineCommand, runDatabaseCommand } from '@app/database';
import { z } from 'zod';
import { storage } from '../database/storage.js';
import { rewrapCodehostSecrets } from '../custody/token-audience/codehost-secrets.js';
import { materializeKeys, rewrapKeys } from '../custody/stored-keys/seal-all-keys.js';
import { createKeyVaults } from '../custody/vaults/create-key-vaults.js';

const materialize = defineCommand({
  name: 'materialize',
  help: 'Stores the keys of all accounts, sealed by the configured vault. From then on the accounts do not need their root.',
  flags: z.object({}),
  run: async (database) => `Stored ${await materializeKeys(database, createKeyVaults())} keys.\n`,
});

const rewrap = defineCommand({
  name: 'rewrap',
  help: 'Seals stored keys, and secrets of OAuth applications, again that another vault or another root has sealed.',
  flags: z.object({}),
  run: async (database) => {
    const vaults = createKeyVaults();
    const keys = await rewrapKeys(database, vaults);
    const secrets = await rewrapCodehostSecrets(database, vaults);
    return `Sealed ${keys} keys and ${secrets} secrets of OAuth applications again.\n`;
  },
});

void runDatabaseCommand(process.argv.slice(2), {
  storage,
  name: 'account-kit-keys',
  group: 'keys',
  commands: [materialize, rewrap],
  notes:
    'Both need the configuration of account-kit. They can be interrupted and repeated, and account-kit serves meanwhile.',
}).then((exitCode) => {
  process.exitCode = exitCode;
});
