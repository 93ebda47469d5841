import { parseArgs, type ParseArgsConfig } from 'node:util';
import { z } from 'zod';
import type { Database } from './database.js';
import { InvalidConfigurationError } from '@app/config';
import { pino } from 'pino';
import { createDatabase, type DatabaseDefinition } from './database.provider.js';
import { ServiceDatabaseConfig } from './database.config.js';

/** Exit codes after sysexits(3), https://man.openbsd.org/sysexits */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 64, data: 65, configuration: 78 } as const;

/** An invalid command line. The message names the flag. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command of operators on the database of an app. */
interface DatabaseCommand {
  readonly name: string;
  /** The command with its flags, on one line. */
  readonly usage: string;
  /** Sentences for the help. */
  readonly help: string;
  /** @returns what runs it, and resolves to what it prints @throws UsageError */
  readonly parse: (args: string[]) => (database: Database) => Promise<string>;
}

interface CommandDefinition<S extends z.ZodObject> {
  readonly name: string;
  readonly help: string;
  /** A schema for each flag, made with `textFlag`, or a boolean for a flag without a value. */
  readonly flags: S;
  /** The command line in the help, where it is not the list of the flags. */
  readonly usage?: string;
  readonly run: (database: Database, flags: z.output<S>) => Promise<string>;
}

/** A flag with a value, which the help calls `value`. */
export const textFlag = (value: string) => z.string().min(1, 'is missing').meta({ value });

/** Defines a command whose flags a schema names in the help, and validates before the command runs. */
export function defineCommand<S extends z.ZodObject>({
  name,
  help,
  flags,
  usage = formatFlags(name, flags),
  run,
}: CommandDefinition<S>): DatabaseCommand {
  const options = Object.fromEntries(
    shapeOf(flags).map(([flag, schema]) => [flag, isSwitch(schema) ? 'boolean' : 'string'] as const),
  );
  return {
    name,
    usage,
    help,
    parse(args) {
      const { values, positionals } = parseFlags(args, options);
      if (positionals.length > 0) throw new UsageError(`"${positionals.at(-1)}" is one argument too many`);
      const input = parseInput(flags, values);
      return (database) => run(database, input);
    },
  };
}

/** @throws UsageError that names a flag which there is not, or which has no value */
export function parseFlags(args: string[], types: Readonly<Record<string, 'boolean' | 'string'>>) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [flag, type] of Object.entries(types)) options[flag] = { type };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    // Node's advice, how to pass arguments that look like flags, would hide the name of the flag.
    throw new UsageError(error.message.replace(/\. To specify .*$/s, '.'), { cause: error });
  }
}

/**
 * @param argument the name of the positional argument
 * @throws UsageError with a line for each flag that is missing or not valid
 */
export function parseInput<S extends z.ZodType>(schema: S, given: object, argument?: string): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new UsageError(result.error.issues.map((issue) => formatIssue(issue, argument)).join('\n'));
}

function formatIssue(issue: z.core.$ZodIssue, argument: string | undefined): string {
  const [name] = issue.path;
  if (name === undefined) return issue.message;
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return `${name === argument ? `<${argument}>` : `--${String(name)}`}: ${isMissing ? 'is missing' : issue.message}`;
}

const isParseFailure = (error: unknown): error is Error & { code: string } =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  String(error.code).startsWith('ERR_PARSE_ARGS');

function formatFlags(name: string, schema: z.ZodObject): string {
  const flags = shapeOf(schema).map(([flag, type]) => {
    const inner = innerOf(type);
    const text = isSwitch(schema)
      ? `--${flag}`
      : `--${flag} <${String(z.globalRegistry.get(inner)?.['value'])}>`;
    return inner === type ? text : `[${text}]`;
  });
  return [name, ...flags].join(' ');
}

const shapeOf = ({ shape }: z.ZodObject) => Object.entries<z.core.$ZodType>(shape);

const isSwitch = (schema: z.core.$ZodType): boolean => innerOf(schema) instanceof z.ZodBoolean;

const innerOf = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional ? innerOf(schema.unwrap()) : schema;

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
