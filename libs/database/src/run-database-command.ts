import { parseArgs, type ParseArgsConfig } from 'node:util';
import { InvalidConfigurationError } from '@app/config';
import { pino } from 'pino';
import { createDatabase, type DatabaseDefinition } from './create-database.js';
import type { Database } from './database.js';
import { ServiceDatabaseConfig } from './database.config.js';

/** Exit codes after sysexits(3), https://man.openbsd.org/sysexits */
const EXIT_CODES = { ok: 0, failed: 1, usage: 64, data: 65, configuration: 78 } as const;

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type ParseArgsOptionsConfig = NonNullable<ParseArgsConfig['options']>;
type Flags<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>['values'];

export interface DatabaseCommands<Options extends ParseArgsOptionsConfig> {
  readonly storage: DatabaseDefinition;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  readonly usage: string;
  readonly options: Options;
  /** Commands by the first argument. Each resolves to what it prints. */
  readonly commands: Readonly<Record<string, (database: Database, flags: Flags<Options>) => Promise<string>>>;
  /** Whether an error is about what a file or an argument holds. */
  readonly isDataError?: (error: unknown) => boolean;
  /** A timeout instead of the configured one. */
  readonly statementTimeoutMs?: number;
}

/**
 * Runs one command of operators on the database of an app, and prints its result or why it failed.
 * @returns the exit code
 */
export async function runDatabaseCommand<Options extends ParseArgsOptionsConfig>(
  args: string[],
  definition: DatabaseCommands<Options>,
): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(definition.usage);
    return EXIT_CODES.ok;
  }
  try {
    const { command, flags } = parseCommand(args, definition);
    process.stdout.write(await withDatabase(definition, (database) => command(database, flags)));
    return EXIT_CODES.ok;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) return EXIT_CODES.usage;
    if (definition.isDataError?.(error)) return EXIT_CODES.data;
    return error instanceof InvalidConfigurationError ? EXIT_CODES.configuration : EXIT_CODES.failed;
  }
}

/** @throws UsageError for an option that is missing or empty */
export function requireOption(name: string, value: string | undefined): string {
  if (!value) throw new UsageError(`--${name}: is missing`);
  return value;
}

function parseCommand<Options extends ParseArgsOptionsConfig>(
  args: string[],
  { usage, options, commands }: DatabaseCommands<Options>,
) {
  const { values, positionals } = parseFlags(args, options);
  const [name = '', ...more] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || more.length > 0) throw new UsageError(usage);
  return { command, flags: values };
}

function parseFlags<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node's advice, how to pass arguments that look like flags, would hide the name of the flag.
    throw new UsageError(message.replace(/\. To specify .*$/s, '.'), { cause: error });
  }
}

async function withDatabase<Options extends ParseArgsOptionsConfig>(
  { storage, name, statementTimeoutMs }: DatabaseCommands<Options>,
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
