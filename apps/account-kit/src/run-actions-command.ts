import { open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { AppError } from '@app/common';
import { InvalidConfigurationError } from '@app/config';
import { createDatabase, ServiceDatabaseConfig } from '@app/database';
import { pino } from 'pino';
import { ACTION_LIMITS } from './actions/action-limits.js';
import { CustomActionsService } from './actions/custom-actions.service.js';
import { storage } from './database/storage.js';

/** Exit codes after sysexits(3), https://man.openbsd.org/sysexits */
const EXIT_CODES = { ok: 0, failed: 1, usage: 64, data: 65, configuration: 78 } as const;

const USAGE = `Usage:
  npm run actions -- add --client <id> [--cid <cid>] --file <path>
      Lets a client application run a custom action, and prints its CID. The file must be the one that the CID names.
  npm run actions -- list --client <id>
      Lists the custom actions of a client application.
  npm run actions -- remove --client <id> --cid <cid>
      Takes a custom action from the list.
`;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface CommandOptions {
  readonly client: string;
  readonly cid: string | undefined;
  readonly file: string | undefined;
}

const COMMANDS = { add, list, remove } as const;

/** Runs one command for the lists of custom actions. @returns the exit code */
export async function runActionsCommand(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return EXIT_CODES.ok;
  }
  try {
    const { command, options } = parseCommand(args);
    process.stdout.write(await withActions((actions) => command(actions, options)));
    return EXIT_CODES.ok;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) return EXIT_CODES.usage;
    if (error instanceof AppError && error.statusCode < 500) return EXIT_CODES.data;
    return error instanceof InvalidConfigurationError ? EXIT_CODES.configuration : EXIT_CODES.failed;
  }
}

function parseCommand(args: string[]) {
  const { values, positionals } = parseFlags(args);
  const [name, ...more] = positionals;
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (!command || more.length > 0) throw new UsageError(USAGE);
  const { client, cid, file } = values;
  return { command, options: { client: requireOption('client', client), cid, file } };
}

function parseFlags(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ args, options: { client: text, cid: text, file: text }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : USAGE, { cause: error });
  }
}

function requireOption(name: keyof CommandOptions, value: string | undefined): string {
  if (!value) throw new UsageError(`--${name}: is missing`);
  return value;
}

async function withActions(work: (actions: CustomActionsService) => Promise<string>): Promise<string> {
  const { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS } = new ServiceDatabaseConfig();
  const settings = { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS, DATABASE_POOL_SIZE: 1 };
  const logger = pino({ level: 'silent' });
  const database = createDatabase(storage, settings, { name: 'account-kit', logger });
  try {
    await database.connect();
    return await work(new CustomActionsService(database));
  } finally {
    await database.close();
  }
}

async function add(actions: CustomActionsService, options: CommandOptions): Promise<string> {
  const source = await readSource(requireOption('file', options.file));
  return `${await actions.add(options.client, options.cid, source)}\n`;
}

async function list(actions: CustomActionsService, { client }: CommandOptions): Promise<string> {
  const listed = await actions.list(client);
  const lines = listed.map(({ cid, size, createdAt }) => `${cid} ${size} ${createdAt.toISOString()}\n`);
  return lines.join('');
}

async function remove(actions: CustomActionsService, options: CommandOptions): Promise<string> {
  const cid = requireOption('cid', options.cid);
  await actions.remove(options.client, cid);
  return `Removed ${cid}.\n`;
}

/** One byte more than a source may have at most, so that the file is refused without being read. */
async function readSource(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(ACTION_LIMITS.sourceBytes + 1) });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
