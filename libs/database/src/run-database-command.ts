import { InvalidConfigurationError } from '@app/config';
import { pino } from 'pino';
import { type DatabaseCommand, EXIT_CODES, UsageError } from './command-line.js';
import { createDatabase, type DatabaseDefinition } from './create-database.js';
import type { Database } from './database.js';
import { ServiceDatabaseConfig } from './database.config.js';

export interface DatabaseCommands {
  readonly storage: DatabaseDefinition;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** What `npm run gatehouse` calls the group of commands. */
  readonly group: string;
  /** The first argument names one. */
  readonly commands: readonly DatabaseCommand[];
  /** What the help says below the commands. */
  readonly notes?: string;
  /** Whether an error is about what a file or an argument holds. */
  readonly isDataError?: (error: unknown) => boolean;
  /** Instead of the configured one. */
  readonly statementTimeoutMs?: number;
}

/**
 * Runs one command of operators on the database of an app, and prints its result or why it failed.
 * @returns the exit code
 */
export async function runDatabaseCommand(args: string[], definition: DatabaseCommands): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(formatHelp(definition));
    return EXIT_CODES.ok;
  }
  try {
    const run = parseCommand(args, definition);
    process.stdout.write(await withDatabase(definition, run));
    return EXIT_CODES.ok;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) return EXIT_CODES.usage;
    if (definition.isDataError?.(error)) return EXIT_CODES.data;
    return error instanceof InvalidConfigurationError ? EXIT_CODES.configuration : EXIT_CODES.failed;
  }
}

function parseCommand([name, ...args]: string[], definition: DatabaseCommands) {
  const command = definition.commands.find((one) => one.name === name);
  if (command !== undefined) return command.parse(args);
  const problem = name === undefined ? 'A command is missing.' : `"${name}" is not a command.`;
  throw new UsageError(`${problem}\n${formatHelp(definition).trimEnd()}`);
}

function formatHelp({ group, commands, notes }: DatabaseCommands): string {
  const lines = commands.map(({ usage, help }) => `  ${usage}\n${help.replaceAll(/^/gm, '      ')}\n`);
  return `npm run gatehouse -- ${group} <command>\n\n${lines.join('')}${notes === undefined ? '' : `\n${notes}\n`}`;
}

async function withDatabase(
  { storage, name, statementTimeoutMs }: DatabaseCommands,
  work: (database: Database) => Promise<string>,
): Promise<string> {
  const { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS } = new ServiceDatabaseConfig();
  const settings = {
    DATABASE_URL,
    DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs ?? DATABASE_STATEMENT_TIMEOUT_MS,
    DATABASE_POOL_SIZE: 1,
  };
  const database = createDatabase(storage, settings, { name, logger: pino({ level: 'silent' }) });
  try {
    await database.connect();
    return await work(database);
  } finally {
    await database.close();
  }
}
