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
export function readSecretFiles(schema: z.ZodType, env: Variables, problems: string[]): Variables {
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
