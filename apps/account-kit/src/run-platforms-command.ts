import { parseArgs } from 'node:util';
import { InvalidConfigurationError } from '@app/config';
import { createDatabase, type Database, ServiceDatabaseConfig } from '@app/database';
import { pino } from 'pino';
import { storage } from './database/storage.js';
import {
  addBot,
  findApplicationPlatforms,
  removeBot,
  setAcceptsUnboundTokens,
} from './platforms/application-platforms.queries.js';
import { isPlatformUserId } from './platforms/is-platform-user-id.js';

/** Exit codes after sysexits(3), https://man.openbsd.org/sysexits */
const EXIT_CODES = { ok: 0, failed: 1, usage: 64, configuration: 78 } as const;

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

class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface CommandOptions {
  readonly client: string;
  readonly bot: string | undefined;
}

const COMMANDS = {
  'add-bot': addListedBot,
  'remove-bot': removeListedBot,
  'accept-unbound': acceptUnbound,
  'refuse-unbound': refuseUnbound,
  show,
} as const;

/** Runs one command for the platform tokens of client applications. @returns the exit code */
export async function runPlatformsCommand(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return EXIT_CODES.ok;
  }
  try {
    const { command, options } = parseCommand(args);
    process.stdout.write(await withDatabase((database) => command(database, options)));
    return EXIT_CODES.ok;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) return EXIT_CODES.usage;
    return error instanceof InvalidConfigurationError ? EXIT_CODES.configuration : EXIT_CODES.failed;
  }
}

function parseCommand(args: string[]) {
  const { values, positionals } = parseFlags(args);
  const [name, ...more] = positionals;
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (!command || more.length > 0) throw new UsageError(USAGE);
  const { client, bot } = values;
  if (!client) throw new UsageError('--client: is missing');
  return { command, options: { client, bot } };
}

function parseFlags(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ args, options: { client: text, bot: text }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : USAGE, { cause: error });
  }
}

async function withDatabase(work: (database: Database) => Promise<string>): Promise<string> {
  const { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS } = new ServiceDatabaseConfig();
  const settings = { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS, DATABASE_POOL_SIZE: 1 };
  const logger = pino({ level: 'silent' });
  const database = createDatabase(storage, settings, { name: 'account-kit', logger });
  try {
    await database.connect();
    return await work(database);
  } finally {
    await database.close();
  }
}

function requireBot(bot: string | undefined): string {
  if (!isPlatformUserId(bot)) throw new UsageError('--bot: must be the numeric id of a bot');
  return bot;
}

async function addListedBot(database: Database, { client, bot }: CommandOptions): Promise<string> {
  await addBot(database, client, requireBot(bot));
  return show(database, { client });
}

async function removeListedBot(database: Database, { client, bot }: CommandOptions): Promise<string> {
  await removeBot(database, client, requireBot(bot));
  return show(database, { client });
}

async function acceptUnbound(database: Database, { client }: CommandOptions): Promise<string> {
  await setAcceptsUnboundTokens(database, client, true);
  return show(database, { client });
}

async function refuseUnbound(database: Database, { client }: CommandOptions): Promise<string> {
  await setAcceptsUnboundTokens(database, client, false);
  return show(database, { client });
}

async function show(database: Database, { client }: Pick<CommandOptions, 'client'>): Promise<string> {
  return `${JSON.stringify(await findApplicationPlatforms(database, client))}\n`;
}
