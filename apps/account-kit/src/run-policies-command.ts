import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { InvalidConfigurationError } from '@app/config';
import { createDatabase, type Database, ServiceDatabaseConfig } from '@app/database';
import { pino } from 'pino';
import { storage } from './database/storage.js';
import { deletePolicy, findPolicyDocument, savePolicy } from './policies/policies.queries.js';
import { InvalidPolicyError, parsePolicyDocument } from './policies/parse-policy-document.js';

/** Exit codes after sysexits(3), https://man.openbsd.org/sysexits */
const EXIT_CODES = { ok: 0, failed: 1, usage: 64, data: 65, configuration: 78 } as const;

const USAGE = `Usage:
  npm run policies -- set --client <id> --file <path>
      Lets a client application do what the JSON document allows, from its next request on.
  npm run policies -- show --client <id>
      Prints the policy of a client application.
  npm run policies -- remove --client <id>
      Removes the policy of a client application. DEFAULT_POLICY decides then.
`;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface CommandOptions {
  readonly client: string;
  readonly file: string | undefined;
}

const COMMANDS = { set, show, remove } as const;

/** Runs one command for the policies of client applications. @returns the exit code */
export async function runPoliciesCommand(args: string[]): Promise<number> {
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
    if (error instanceof InvalidPolicyError) return EXIT_CODES.data;
    return error instanceof InvalidConfigurationError ? EXIT_CODES.configuration : EXIT_CODES.failed;
  }
}

function parseCommand(args: string[]) {
  const { values, positionals } = parseFlags(args);
  const [name, ...more] = positionals;
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (!command || more.length > 0) throw new UsageError(USAGE);
  const { client, file } = values;
  if (!client) throw new UsageError('--client: is missing');
  return { command, options: { client, file } };
}

function parseFlags(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ args, options: { client: text, file: text }, allowPositionals: true });
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

async function set(database: Database, { client, file }: CommandOptions): Promise<string> {
  if (!file) throw new UsageError('--file: is missing');
  const document = await readFile(file, 'utf8');
  parsePolicyDocument(document);
  await savePolicy(database, client, document);
  return `Set the policy of ${client}.\n`;
}

async function show(database: Database, { client }: CommandOptions): Promise<string> {
  const document = await findPolicyDocument(database, client);
  return document === undefined ? `${client} has no policy.\n` : `${document}\n`;
}

async function remove(database: Database, { client }: CommandOptions): Promise<string> {
  return (await deletePolicy(database, client))
    ? `Removed the policy of ${client}.\n`
    : `${client} has no policy.\n`;
}
