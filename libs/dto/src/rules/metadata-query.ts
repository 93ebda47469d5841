import jsonata from 'jsonata';
import { z } from 'zod';

/** Functions whose result depends on the time or on chance, and the one that parses text as an expression. */
const FORBIDDEN_FUNCTIONS = new Set(['eval', 'now', 'millis', 'random']);
const MAX_QUERY_LENGTH = 4_096;
/** The time to parse a path grows with the square of its steps, and a request may have 500 rules. */
const MAX_PATH_STEPS = 64;

/** A JSONata expression over the metadata of a token (contract.md section 8). */
export const metadataQuery = z
  .string()
  .max(MAX_QUERY_LENGTH)
  .superRefine((query, { addIssue }) => {
    const problem = findQueryProblem(query);
    if (problem !== undefined) addIssue({ code: 'custom', message: problem });
  });

/** Why an expression is refused; undefined if it is accepted. */
function findQueryProblem(query: string): string | undefined {
  if ((query.match(/[.%]/g) ?? []).length > MAX_PATH_STEPS)
    return `must have at most ${MAX_PATH_STEPS} steps of paths (. and %)`;
  let ast: unknown;
  try {
    ast = jsonata(query).ast();
  } catch (error) {
    const message = (error as Partial<Error>).message ?? '';
    return `is not a JSONata expression${message === '' ? '' : `: ${message.slice(0, 200)}`}`;
  }
  const name = findForbiddenName(ast);
  return name === undefined ? undefined : `must not use $${name}`;
}

/**
 * Searches the whole tree for a variable of a forbidden name, called or not: an expression can reach a function only by
 * its name, also when it passes the function on or binds it to another name.
 */
function findForbiddenName(ast: unknown): string | undefined {
  const pending: unknown[] = [ast];
  const visited = new Set<object>();
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null || visited.has(node)) continue;
    visited.add(node);
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type === 'variable' && typeof value === 'string' && FORBIDDEN_FUNCTIONS.has(value)) return value;
    for (const child of Object.values(node) as unknown[]) pending.push(child);
  }
  return undefined;
}
