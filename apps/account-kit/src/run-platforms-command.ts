import { type Database, defineCommand, runDatabaseCommand, textFlag } from '@app/database';
import { z } from 'zod';
import { storage } from './database/storage.js';
import { findCodehostApp, removeCodehostApp } from './key-vault/codehost-apps/codehost-apps.queries.js';
import { storeCodehostApp } from './key-vault/codehost-apps/codehost-secrets.js';
import { createKeyVaults } from './key-vault/vaults/create-key-vaults.js';
import { isPlatformUserId } from './platforms/is-platform-user-id.js';
import { readSecret } from './read-secret.js';
import {
  addBot,
  findApplicationPlatforms,
  removeBot,
  setAcceptsUnboundTokens,
} from './token-audience/application-platforms.queries.js';

/** An OAuth client id is part of a path, so it must not be dots. */
const OAUTH_CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{3,99}$/;

const client = textFlag('id');
const bot = textFlag('id').refine(isPlatformUserId, 'must be the numeric id of a bot').meta({ value: 'id' });
const oauthClientId = textFlag('id')
  .regex(OAUTH_CLIENT_ID, 'must be the client id of an OAuth application')
  .meta({ value: 'id' });

const addListedBot = defineCommand({
  name: 'add-bot',
  help: 'Lets the tokens of a bot of the chat platform sign for a client application.',
  flags: z.object({ client, bot }),
  run: async (database, flags) => {
    await addBot(database, flags.client, flags.bot);
    return formatPlatforms(database, flags.client);
  },
});

const removeListedBot = defineCommand({
  name: 'remove-bot',
  help: 'Takes a bot from the list.',
  flags: z.object({ client, bot }),
  run: async (database, flags) => {
    await removeBot(database, flags.client, flags.bot);
    return formatPlatforms(database, flags.client);
  },
});

const setApp = defineCommand({
  name: 'set-codehost-app',
  usage: 'set-codehost-app --client <id> --oauth-client-id <id> < <file with the secret>',
  help: `Lets the tokens that users gave to an OAuth application of the code host sign for a client application, which has one
at most. Its client secret is read from standard input and stored sealed; this needs the configuration of account-kit.`,
  flags: z.object({ client, 'oauth-client-id': oauthClientId }),
  run: async (database, flags) => {
    const app = { clientId: flags.client, oauthClientId: flags['oauth-client-id'] };
    const secret = await readSecret('the client secret of the OAuth application');
    await storeCodehostApp(database, createKeyVaults(), app, secret);
    return formatPlatforms(database, flags.client);
  },
});

const removeApp = defineCommand({
  name: 'remove-codehost-app',
  help: 'Forgets the OAuth application and its secret.',
  flags: z.object({ client }),
  run: async (database, flags) => {
    await removeCodehostApp(database, flags.client);
    return formatPlatforms(database, flags.client);
  },
});

const acceptUnbound = defineCommand({
  name: 'accept-unbound',
  help: 'Lets every token sign for a client application, also one that was given to another application.',
  flags: z.object({ client }),
  run: async (database, flags) => {
    await setAcceptsUnboundTokens(database, flags.client, true);
    return formatPlatforms(database, flags.client);
  },
});

const refuseUnbound = defineCommand({
  name: 'refuse-unbound',
  help: 'Lets only the tokens of listed bots and of the OAuth application sign. This is the default.',
  flags: z.object({ client }),
  run: async (database, flags) => {
    await setAcceptsUnboundTokens(database, flags.client, false);
    return formatPlatforms(database, flags.client);
  },
});

const show = defineCommand({
  name: 'show',
  help: 'Prints which tokens sign for a client application.',
  flags: z.object({ client }),
  run: (database, flags) => formatPlatforms(database, flags.client),
});

/** Runs one command for the platform tokens of client applications. @returns the exit code */
export const runPlatformsCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'account-kit',
    group: 'platforms',
    commands: [addListedBot, removeListedBot, setApp, removeApp, acceptUnbound, refuseUnbound, show],
  });

async function formatPlatforms(database: Database, clientId: string): Promise<string> {
  const [platforms, app] = [
    await findApplicationPlatforms(database, clientId),
    await findCodehostApp(database, clientId),
  ];
  const codehostApp = app ? { oauthClientId: app.oauthClientId, setAt: app.setAt } : null;
  return `${JSON.stringify({ ...platforms, codehostApp })}\n`;
}
