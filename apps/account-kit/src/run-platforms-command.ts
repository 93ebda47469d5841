import { type Database, requireOption, runDatabaseCommand, UsageError } from '@app/database';
import { storage } from './database/storage.js';
import {
  addBot,
  findApplicationPlatforms,
  removeBot,
  setAcceptsUnboundTokens,
} from './platforms/application-platforms.queries.js';
import { isPlatformUserId } from './platforms/is-platform-user-id.js';

const USAGE = `Usage:
  npm run platforms -- add-bot --client <id> --bot <id>
      Lets the tokens of a bot of the chat platform sign for a client application.
  npm run platforms -- remove-bot --client <id> --bot <id>
      Takes a bot from the list.
  npm run platforms -- accept-unbound --client <id>
      Lets every token sign for a client application, also one that was given to another application.
  npm run platforms -- refuse-unbound --client <id>
      Lets only the tokens of listed bots sign. This is the default.
  npm run platforms -- show --client <id>
      Prints which tokens sign for a client application.
`;

interface Flags {
  readonly client?: string | undefined;
  readonly bot?: string | undefined;
}

const text = { type: 'string' } as const;

/** Runs one command for the platform tokens of client applications. @returns the exit code */
export const runPlatformsCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'account-kit',
    usage: USAGE,
    options: { client: text, bot: text },
    commands: {
      'add-bot': addListedBot,
      'remove-bot': removeListedBot,
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

async function setUnbound(database: Database, flags: Flags, accepts: boolean): Promise<string> {
  await setAcceptsUnboundTokens(database, requireOption('client', flags.client), accepts);
  return show(database, flags);
}

async function show(database: Database, flags: Flags): Promise<string> {
  const client = requireOption('client', flags.client);
  return `${JSON.stringify(await findApplicationPlatforms(database, client))}\n`;
}
