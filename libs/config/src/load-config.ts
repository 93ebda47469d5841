import type { z } from 'zod';
import { readSecretFiles } from './secret-files.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment does not match the schema. The message lists every invalid variable and the reason. */
export class InvalidConfigurationError extends Error {
  override readonly name = 'InvalidConfigurationError';
}

/**
 * Parses the environment and freezes the result. An empty variable counts as unset. A secret may stand in a file, which a variable
 * `<NAME>_FILE` names.
 * @throws InvalidConfigurationError with one line per invalid variable, without its value
 */
export function loadConfig<S extends z.ZodType>(
  schema: S,
  env: Environment = process.env,
): Readonly<z.output<S>> {
  const present = Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );
  const problems: string[] = [];
  const result = schema.safeParse(readSecretFiles(schema, present, problems));
  // A file that cannot be used says more than the variable that is missing without it.
  if (problems.length > 0 || !result.success) {
    const lines =
      problems.length > 0
        ? problems
        : (result.error?.issues ?? []).map(
            (issue) => `  ${issue.path.join('.') || 'environment'}: ${issue.message}`,
          );
    throw new InvalidConfigurationError(`The environment is not usable:\n${lines.join('\n')}`);
  }
  return Object.freeze(result.data);
}
