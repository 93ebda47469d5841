import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { InvalidConfigurationError } from '@app/config';
import { createDatabase, type Database, ServiceDatabaseConfig } from '@app/database';
import { pino } from 'pino';
import { backfillEvents, InvalidHistoryError } from './backfill/backfill-events.js';
import { storage } from './database/storage.js';
import { AnalyticsConfig } from './ingest/analytics.config.js';
import { rebuildNumbers } from './rebuild/rebuild-numbers.js';

/** Exit codes after sysexits(3), https://man.openbsd.org/sysexits */
const EXIT_CODES = { ok: 0, failed: 1, usage: 64, data: 65, configuration: 78 } as const;
const DAY_MS = 86_400_000;
/** A statement of a rebuild may read all events of a community. */
const STATEMENT_TIMEOUT_MS = 600_000;

const USAGE = `Usage:
  npm run analytics -- rebuild --community <id>
      Replaces the numbers of a community by those that follow from its events.
  npm run analytics -- backfill --community <id> [--file <path>]
      Imports a history, one community event in JSON per line, marked as demo. Without a file it reads its input.
      Repeating it changes nothing.
`;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface CommandOptions {
  readonly communityId: string;
  readonly file: string | undefined;
}

const COMMANDS = { rebuild, backfill } as const;

/** Runs one command for the numbers of analytics. @returns the exit code */
export async function runAnalyticsCommand(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return EXIT_CODES.ok;
  }
  try {
    const { command, options } = parseCommand(args);
    process.stdout.write(`${await withDatabase((database) => command(database, options))}\n`);
    return EXIT_CODES.ok;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) return EXIT_CODES.usage;
    if (error instanceof InvalidHistoryError) return EXIT_CODES.data;
    return error instanceof InvalidConfigurationError ? EXIT_CODES.configuration : EXIT_CODES.failed;
  }
}

function parseCommand(args: string[]) {
  const { values, positionals } = parseFlags(args);
  const [name, ...more] = positionals;
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (!command || more.length > 0) throw new UsageError(USAGE);
  const { community: communityId, file } = values;
  if (!communityId) throw new UsageError('--community: is missing');
  return { command, options: { communityId, file } };
}

function parseFlags(args: string[]) {
  try {
    const options = { community: { type: 'string' }, file: { type: 'string' } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : USAGE, { cause: error });
  }
}

async function withDatabase(work: (database: Database) => Promise<string>): Promise<string> {
  const { DATABASE_URL } = new ServiceDatabaseConfig();
  const settings = {
    DATABASE_URL,
    DATABASE_POOL_SIZE: 1,
    DATABASE_STATEMENT_TIMEOUT_MS: STATEMENT_TIMEOUT_MS,
  };
  const database = createDatabase(storage, settings, {
    name: 'analytics',
    logger: pino({ level: 'silent' }),
  });
  try {
    await database.connect();
    return await work(database);
  } finally {
    await database.close();
  }
}

async function rebuild(database: Database, { communityId }: CommandOptions): Promise<string> {
  const result = await database.transaction((manager) => rebuildNumbers(manager, communityId));
  if (!result) throw new Error(`The community ${communityId} has no numbers.`);
  return `Rebuilt ${result.days} days since ${result.from} from ${result.events} events.`;
}

async function backfill(database: Database, { communityId, file }: CommandOptions): Promise<string> {
  const { ANALYTICS_RETENTION_DAYS } = new AnalyticsConfig();
  const lines =
    file === undefined ? createInterface({ input: process.stdin }) : (await open(file)).readLines();
  const target = { communityId, retentionMs: ANALYTICS_RETENTION_DAYS * DAY_MS };
  const { stored, tooOld, inTheFuture } = await backfillEvents(database, lines, target);
  return `Imported ${stored} events. Dropped ${tooOld} that are too old, and ${inTheFuture} in the future.`;
}
