import type { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment does not fit the schema. The message lists every variable that is wrong, and why. */
export class InvalidConfigurationError extends Error {
  override readonly name = 'InvalidConfigurationError';
}

/**
 * Reads the environment once and freezes what came out. An empty variable counts as unset.
 * @throws InvalidConfiguration with one line per wrong variable; never with a variable's value.
 */
export function loadConfig<S extends z.ZodType>(
  schema: S,
  env: Environment = process.env,
): Readonly<z.output<S>> {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(present);
  if (!result.success) {
    const lines = result.error.issues.map(
      (issue) => `  ${issue.path.join('.') || 'environment'}: ${issue.message}`,
    );
    throw new InvalidConfigurationError(`The environment is not usable:\n${lines.join('\n')}`);
  }
  return Object.freeze(result.data);
}
