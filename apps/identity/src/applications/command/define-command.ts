import { parseFlags, parseInput, UsageError } from '@app/database';
import type { z } from 'zod';
import type { CommandServices } from './command-services.js';

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
      const types = Object.fromEntries(flags.map((flag) => [flag, 'string'] as const));
      const { values, positionals } = parseFlags(args, { ...types, json: 'boolean' });
      const { json, ...given } = values;
      if (positionals.length > (argument === undefined ? 0 : 1))
        throw new UsageError(`"${positionals.at(-1)}" is one argument too many`);
      const named = argument === undefined ? given : { ...given, [argument]: positionals[0] };
      const input = parseInput(schema, named, argument);
      return { wantsJson: json === true, run: (services) => run(services, input) };
    },
  };
}
