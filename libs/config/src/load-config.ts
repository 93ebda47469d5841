import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { findMeta } from './describe-variable.js';

const SUFFIX = '_FILE';
const MAX_FILE_BYTES = 65_536;
/** URLs of one chain, such as `RPC_URL_1`, may hold a key each. */
const FILE_PER_CHAIN = /^(?:[A-Z]+_)*URL_[1-9]\d{0,15}_FILE$/;

type Variables = Readonly<Record<string, string>>;

/**
 * Adds the secrets that stand in files: `DATABASE_URL_FILE` names a file with the value of `DATABASE_URL`.
 * @param problems gets a line for each file that cannot be used, without its content
 * @returns the variables, with those from files
 */
function readSecretFiles(schema: z.ZodType, env: Variables, problems: string[]): Variables {
  const names = Object.keys(env)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .filter((name) => isReadFromFile(schema, name));
  const values = names.flatMap((name) => {
    const variable = `${name}${SUFFIX}`;
    try {
      if (env[name] !== undefined) throw new Error(`and ${name} exclude each other`);
      return [[name, readSecret(env[variable] ?? '')] as const];
    } catch (error) {
      problems.push(`  ${variable}: ${(error as Error).message}`);
      return [];
    }
  });
  return { ...env, ...Object.fromEntries(values) };
}

/**
 * Whether a value is read from a file. Not where the schema has a variable of this name, as VAULT_TOKEN_FILE, which is
 * read for each request.
 */
function isReadFromFile(schema: z.ZodType, name: string): boolean {
  const shape = schema instanceof z.ZodObject ? (schema.shape as z.ZodRawShape) : undefined;
  if (shape === undefined) return FILE_PER_CHAIN.test(`${name}${SUFFIX}`);
  const variable = shape[name];
  return (
    variable !== undefined &&
    shape[`${name}${SUFFIX}`] === undefined &&
    findMeta(variable, 'secret') !== undefined
  );
}

/** Editors and `kubectl create secret --from-file` leave a line break at the end. */
function readSecret(file: string): string {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) throw new Error(`has more than ${MAX_FILE_BYTES} bytes`);
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (text === '') throw new Error('is empty');
    return text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(code === undefined ? message : `cannot be read (${code})`, { cause: error });
  }
}

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

/** A provider of configuration, by which an app's whole configuration is found in its modules. */
export interface ConfigClass<S extends z.ZodObject = z.ZodObject<z.ZodRawShape>> {
  readonly configSchema: S;
}

/**
 * Creates a base class: `class GatewayConfig extends createConfigClass(schema) {}` is type, provider and injection token
 * of an app's configuration. Reads the environment when constructed, not at import.
 */
export function createConfigClass<S extends z.ZodObject>(
  schema: S,
): (new () => Readonly<z.output<S>>) & ConfigClass<S> {
  class Config {
    constructor() {
      Object.assign(this, loadConfig(schema));
      Object.freeze(this);
    }
  }
  return Object.assign(Config as new () => Readonly<z.output<S>>, { configSchema: schema });
}
