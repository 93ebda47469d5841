import { inSpan, isTraced } from '@app/common';

const WRITE = /\b(INSERT INTO|UPDATE|DELETE FROM)\s+(\w+\.\w+)/;
const READ = /\bFROM\s+(\w+\.\w+)/;

/** What a statement does first to which table, such as `UPDATE identity.users`, without anything else of its text. */
export function nameStatement(sql: string): string {
  const [, verb, written] = WRITE.exec(sql) ?? [];
  if (verb !== undefined && written !== undefined) return `${verb} ${written}`;
  const [, read] = READ.exec(sql) ?? [];
  return read === undefined ? 'statement' : `SELECT FROM ${read}`;
}

/** Runs a statement in a span of the current trace. */
export const traceStatement = <T>(sql: string, run: () => Promise<T>): Promise<T> =>
  isTraced() ? inSpan({ name: nameStatement(sql), kind: 'CLIENT' }, run) : run();
