import { z } from 'zod';
import { findMeta } from './describe-variable.js';
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
  const formerNames = findFormerNames(schema, present);
  const named = Object.fromEntries(
    [...formerNames].map(([name, formerName]) => [name, present[formerName] ?? '']),
  );
  const result = schema.safeParse(readSecretFiles(schema, { ...present, ...named }, problems));
  // A file that cannot be used says more than the variable that is missing without it.
  if (problems.length > 0 || !result.success) {
    const lines =
      problems.length > 0
        ? problems
        : (result.error?.issues ?? []).map(
            ({ path, message }) =>
              `  ${formerNames.get(String(path[0])) ?? (path.join('.') || 'environment')}: ${message}`,
          );
    throw new InvalidConfigurationError(`The environment is not usable:\n${lines.join('\n')}`);
  }
  return Object.freeze(result.data);
}

/** The former names that are set in the environment, by the name of today, which is not set. */
function findFormerNames(schema: z.ZodType, env: Environment): ReadonlyMap<string, string> {
  const shape = schema instanceof z.ZodObject ? (schema.shape as z.ZodRawShape) : {};
  return new Map(
    Object.entries(shape).flatMap(([name, variable]) => {
      const formerName = findMeta(variable, 'formerName');
      return formerName === undefined || env[name] !== undefined || env[formerName] === undefined
        ? []
        : [[name, formerName] as const];
    }),
  );
}
