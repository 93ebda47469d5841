import 'reflect-metadata';
import { type Database, defineCommand, runDatabaseCommand, textFlag, UsageError } from '@app/database';
import { z } from 'zod';
import { storage } from '../database/storage.js';
import { findCodehostApp, removeCodehostApp } from '../custody/token-audience/codehost-apps.queries.js';
import { storeCodehostApp } from '../custody/token-audience/codehost-secrets.js';
import { createKeyVaults } from '../custody/vaults/create-key-vaults.js';
import { isPlatformUserId } from '../owners/is-platform-user-id.js';
import {
  addBot,
  findApplicationPlatforms,
  removeBot,
  setAcceptsUnboundTokens,
} from '../custody/token-audience/application-platforms.queries.js';

const MAX_SECRET_BYTES = 1_024;
const SECRET = /^[\x21-\x7e]{16,512}$/;
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

async function formatPlatforms(database: Database, clientId: string): Promise<string> {
  const [platforms, app] = [
    await findApplicationPlatforms(database, clientId),
    await findCodehostApp(database, clientId),
  ];
  const codehostApp = app ? { oauthClientId: app.oauthClientId, setAt: app.setAt } : null;
  return `${JSON.stringify({ ...platforms, codehostApp })}\n`;
}

/**
 * Reads a secret of one line from standard input: other users of the machine see arguments, and shells keep them.
 * @throws UsageError that names `what` is missing
 */
async function readSecret(what: string): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError(
      `Standard input must be ${what}, such as with \`< file\`: a terminal would show it.`,
    );
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_SECRET_BYTES) break;
    chunks.push(chunk);
  }
  const secret = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
  if (size > MAX_SECRET_BYTES || !SECRET.test(secret))
    throw new UsageError(`Standard input must be ${what}: one line of 16 to 512 characters without spaces.`);
  return secret;
}

void runDatabaseCommand(process.argv.slice(2), {
  storage,
  name: 'account-kit',
  group: 'platforms',
  commands: [addListedBot, removeListedBot, setApp, removeApp, acceptUnbound, refuseUnbound, show],
}).then((exitCode) => {
  process.exitCode = exitCode;
});
