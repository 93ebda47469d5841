import { type Database, requireOption, runDatabaseCommand, UsageError } from '@app/database';
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

const USAGE = `Usage:
  npm run gatehouse -- platforms add-bot --client <id> --bot <id>
      Lets the tokens of a bot of the chat platform sign for a client application.
  npm run gatehouse -- platforms remove-bot --client <id> --bot <id>
      Takes a bot from the list.
  npm run gatehouse -- platforms set-codehost-app --client <id> --oauth-client-id <id> < <file with the secret>
      Lets the tokens that users gave to an OAuth application of the code host sign for a client application, which has one
      at most. Its client secret is read from standard input and stored sealed; this needs the configuration of account-kit.
  npm run gatehouse -- platforms remove-codehost-app --client <id>
      Forgets the OAuth application and its secret.
  npm run gatehouse -- platforms accept-unbound --client <id>
      Lets every token sign for a client application, also one that was given to another application.
  npm run gatehouse -- platforms refuse-unbound --client <id>
      Lets only the tokens of listed bots and of the OAuth application sign. This is the default.
  npm run gatehouse -- platforms show --client <id>
      Prints which tokens sign for a client application.
`;

interface Flags {
  readonly client?: string | undefined;
  readonly bot?: string | undefined;
  readonly 'oauth-client-id'?: string | undefined;
}

/** An OAuth client id is part of a path, so it must not be dots. */
const OAUTH_CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{3,99}$/;

const text = { type: 'string' } as const;

/** Runs one command for the platform tokens of client applications. @returns the exit code */
export const runPlatformsCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'account-kit',
    usage: USAGE,
    options: { client: text, bot: text, 'oauth-client-id': text },
    commands: {
      'add-bot': addListedBot,
      'remove-bot': removeListedBot,
      'set-codehost-app': setApp,
      'remove-codehost-app': removeApp,
      'accept-unbound': (database, flags) => setUnbound(database, flags, true),
      'refuse-unbound': (database, flags) => setUnbound(database, flags, false),
      show,
    },
  });

function requireBot(bot: string | undefined): string {
  if (!isPlatformUserId(bot)) throw new UsageError('--bot: must be the numeric id of a bot');
  return bot;
}

async function addListedBot(database: Database, flags: Flags): Promise<string> {
  await addBot(database, requireOption('client', flags.client), requireBot(flags.bot));
  return show(database, flags);
}

async function removeListedBot(database: Database, flags: Flags): Promise<string> {
  await removeBot(database, requireOption('client', flags.client), requireBot(flags.bot));
  return show(database, flags);
}

async function setApp(database: Database, flags: Flags): Promise<string> {
  const clientId = requireOption('client', flags.client);
  const oauthClientId = requireOption('oauth-client-id', flags['oauth-client-id']);
  if (!OAUTH_CLIENT_ID.test(oauthClientId))
    throw new UsageError('--oauth-client-id: must be the client id of an OAuth application');
  const secret = await readSecret('the client secret of the OAuth application');
  await storeCodehostApp(database, createKeyVaults(), { clientId, oauthClientId }, secret);
  return show(database, flags);
}

async function removeApp(database: Database, flags: Flags): Promise<string> {
  await removeCodehostApp(database, requireOption('client', flags.client));
  return show(database, flags);
}

async function setUnbound(database: Database, flags: Flags, accepts: boolean): Promise<string> {
  await setAcceptsUnboundTokens(database, requireOption('client', flags.client), accepts);
  return show(database, flags);
}

async function show(database: Database, flags: Flags): Promise<string> {
  const client = requireOption('client', flags.client);
  const [platforms, app] = [
    await findApplicationPlatforms(database, client),
    await findCodehostApp(database, client),
  ];
  const codehostApp = app ? { oauthClientId: app.oauthClientId, setAt: app.setAt } : null;
  return `${JSON.stringify({ ...platforms, codehostApp })}\n`;
}
