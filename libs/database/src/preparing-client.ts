import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * Names of statements in one process; later statements are planned each time. The statements of an app are far fewer
 * unless it builds them from its input.
 */
const MAX_NAMES = 500;
const names = new Map<string, string>();

/** Undefined once there are too many, so that no connection holds plans without bound. */
export function toStatementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_NAMES) return known;
  const name = createHash('sha256').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

type Query = (query: unknown, values?: unknown, callback?: unknown) => unknown;

/**
 * A connection that lets PostgreSQL parse and plan each statement with parameters once: for the statements of most requests that is more
 * work than their execution.
 */
export class PreparingClient extends pg.Client {
  private readonly send = super.query.bind(this) as Query;

  // The overloads of pg differ in their results only.
  override query = ((query: unknown, values: unknown, callback: unknown) => {
    const name =
      typeof query === 'string' && Array.isArray(values) && values.length > 0
        ? toStatementName(query)
        : undefined;
    if (name === undefined) return this.send(query, values, callback);
    return this.send({ name, text: query, values }, undefined, callback);
  }) satisfies Query as pg.Client['query'];
}
