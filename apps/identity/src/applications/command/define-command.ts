import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { z } from 'zod';
import type { CommandServices } from './command-services.js';

/** An invalid command line. The message names the flag. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command's output, as JSON and as lines of text. */
export interface CommandOutput {
  json: object;
  text: string[];
}

export interface ParsedCommand {
  wantsJson: boolean;
  run: (services: CommandServices) => Promise<CommandOutput>;
}

export interface Command {
  name: string;
  /** The command with its arguments and flags, on one line. */
  usage: string;
  /** @throws UsageError */
  parse: (args: string[]) => ParsedCommand;
}

interface CommandDefinition<S extends z.ZodType> {
  name: string;
  usage: string;
  /** The name of the positional argument. */
  argument?: string;
  /** Flags that take a value. */
  flags: string[];
  /** The schema of the input, whose fields have the names of the flags and the argument. */
  schema: S;
  run: (services: CommandServices, input: z.output<S>) => Promise<CommandOutput>;
}

/** Defines a command whose flags a schema validates before it runs. */
export function defineCommand<S extends z.ZodType>({
  name,
  usage,
  argument,
  flags,
  schema,
  run,
}: CommandDefinition<S>): Command {
  return {
    name,
    usage,
    parse(args) {
      const { values, positionals } = parseArguments(args, flags);
      const { json, ...given } = values;
      if (positionals.length > (argument === undefined ? 0 : 1))
        throw new UsageError(`"${positionals.at(-1)}" is one argument too many`);
      const result = schema.safeParse(
        argument === undefined ? given : { ...given, [argument]: positionals[0] },
      );
      if (!result.success)
        throw new UsageError(result.error.issues.map((issue) => formatIssue(issue, argument)).join('\n'));
      return { wantsJson: json === true, run: (services) => run(services, result.data) };
    },
  };
}

function parseArguments(args: string[], flags: string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = { json: { type: 'boolean' } };
  for (const flag of flags) options[flag] = { type: 'string' };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw isParseFailure(error) ? new UsageError(error.message) : error;
  }
}

const isParseFailure = (error: unknown): error is Error & { code: string } =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  String(error.code).startsWith('ERR_PARSE_ARGS');

function formatIssue(issue: z.core.$ZodIssue, argument: string | undefined): string {
  const [name] = issue.path;
  if (name === undefined) return issue.message;
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return `${name === argument ? `<${argument}>` : `--${String(name)}`}: ${isMissing ? 'is missing' : issue.message}`;
}
