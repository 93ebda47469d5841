import { getTraceparent } from '@app/common';
import { type Database, formatTimestampSql, queryRows, type Statement } from '@app/database';
import { MAX_EVENTS_PER_BATCH } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { operationCallbacksQueue, operationEventsQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** A table whose rows go through states, which rows tell by events. */
export interface StateTable<State extends string> {
  /** The table with its schema. */
  readonly table: string;
  /** The name of its row in statements. */
  readonly row: string;
  /** SQL of a table that every change joins, and the condition of the join. */
  readonly joined?: { readonly table: string; readonly on: string };
  /** SQL of `id`, `state`, `state_seq`, `accepted_at`, `changed_at`, and of what `event` needs. */
  readonly returning: string;
  /** SQL of the names and values of fields of an event, of the row `changed`. A field that is null is left out. */
  readonly event: string;
  readonly state: z.ZodType<State>;
}

/** A change of the state of some rows. */
export interface Transition<State extends string> {
  /** A row in any other state stays as it is: another instance was faster. */
  readonly from: readonly State[];
  readonly to: State | { readonly sql: string };
  /** States between `accepted` and `to` that a row passes in the same statement: each has an event. */
  readonly passed?: readonly State[];
  /** SQL of further columns. */
  readonly set?: string;
  /** SQL of a table that `set` and `where` may call `given`. */
  readonly given?: string;
  readonly where: string;
  /** Values of the parameters, which SQL calls `:name`. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Changed<State extends string> {
  readonly id: string;
  readonly state: State;
}

/** Changes states, and sends an event for each change, in one statement: requests wait for it. */
@Injectable()
export class StateTransitions {
  constructor(private readonly outbox: OutboxService) {}

  /** @returns the rows that have changed */
  async transition<State extends string>(
    manager: EntityManager,
    table: StateTable<State>,
    transition: Transition<State>,
  ): Promise<Changed<State>[]> {
    const { sql, parameters } = this.toStatement(table, transition);
    const rows = await queryRows(manager, sql, [...parameters]);
    this.outbox.notifyAfterCommit(manager);
    return toChanged(table, rows);
  }

  /** Changes states in a transaction that runs another statement first. */
  async transitionAfter<State extends string>(
    database: Database,
    first: Statement,
    table: StateTable<State>,
    transition: Transition<State>,
  ): Promise<Changed<State>[]> {
    const [, rows = []] = await database.queryTogether([first, this.toStatement(table, transition)]);
    this.outbox.notify();
    return toChanged(table, rows);
  }

  private toStatement<State extends string>(
    { table, row, joined, returning, event }: StateTable<State>,
    { from, to, passed = [], set, given, where, parameters }: Transition<State>,
  ): Statement {
    const tables = [joined?.table, given].filter((one) => one !== undefined);
    const queues = [operationEventsQueue, operationCallbacksQueue];
    const sql = `
      WITH changed AS (
        UPDATE ${table} AS ${row}
        SET state = ${typeof to === 'string' ? `'${to}'` : to.sql}, state_seq = ${row}.state_seq + ${passed.length + 1},
          changed_at = clock_timestamp()${set === undefined ? '' : `, ${set}`}
        ${tables.length === 0 ? '' : `FROM ${tables.join(', ')}`}
        WHERE ${row}.state = ANY(:from::text[]) AND ${joined?.on ?? 'true'} AND ${where}
        RETURNING ${returning}
      ), event AS (
        SELECT change.at, change.seq, jsonb_strip_nulls(jsonb_build_object(${event}, 'id', gen_random_uuid(),
          'at', ${formatTimestampSql('change.at')}, 'state', change.state, 'seq', change.seq)) AS event
        FROM changed CROSS JOIN LATERAL (
          SELECT changed.changed_at AS at, changed.state, changed.state_seq AS seq
          ${toPassedStates(passed)}) AS change
      ), message AS (
        SELECT jsonb_build_object('version', 1, 'batchId', gen_random_uuid(),
          'events', jsonb_agg(event ORDER BY at, seq)) AS payload
        FROM (SELECT *, (row_number() OVER () - 1) / ${MAX_EVENTS_PER_BATCH} AS batch FROM event) AS numbered
        GROUP BY batch
      ), sent AS (${this.outbox.toInsertSql(queues, 'SELECT payload FROM message', ':traceparent::text')})
      SELECT id, state FROM changed`;
    return bindNames(sql, { ...parameters, from, traceparent: getTraceparent() ?? null });
  }
}

/** SQL of the states before the stored one. `accepted` is sent with the change that follows it: a request waits for both, and this saves a statement. */
const toPassedStates = (passed: readonly string[]): string =>
  [
    `UNION ALL SELECT changed.accepted_at, 'accepted', 1 WHERE changed.state_seq <= ${passed.length + 2}`,
    ...passed.map(
      (state, index) =>
        `UNION ALL SELECT changed.changed_at, '${state}', ${index + 2} WHERE changed.state_seq > ${index + 2}`,
    ),
  ].join(' ');

const toChanged = <State extends string>(
  { state }: StateTable<State>,
  rows: readonly unknown[],
): Changed<State>[] => z.array(z.object({ id: z.string(), state })).parse(rows);

/**
 * Numbers the parameters `:name` of a statement in the order of their first appearance, as PostgreSQL wants them. Casts (`::text`) and formats
 * of times (`HH24:MI`) are no names.
 * @throws Error for a name without a value
 */
export function bindNames(sql: string, values: Readonly<Record<string, unknown>>): Statement {
  const names: string[] = [];
  const numbered = sql.replace(/(?<![:\w]):([a-z]\w*)/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`the parameter :${name} of a statement has no value`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { sql: numbered, parameters: names.map((name) => values[name]) };
}
