import type { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment does not match the schema. The message lists every invalid variable and the reason. */
export class InvalidConfigurationError extends Error {
  override readonly name = 'InvalidConfigurationError';
}

/**
 * Parses the environment and freezes the result. An empty variable counts as unset.
 * @throws InvalidConfigurationError with one line per invalid variable, without its value
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
