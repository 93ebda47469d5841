import { getTraceparent } from '@app/common';
import { type Database, formatTimestampSql, queryRows, type Statement } from '@app/database';
import { MAX_EVENTS_PER_BATCH } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { operationCallbacksQueue, operationEventsQueue } from '@app/queues';
import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export interface StateUpdate {
  /** SQL of an UPDATE. It returns `state`, `state_seq`, `accepted_at`, `changed_at` and what `event` and `columns` need. */
  readonly update: string;
  /** SQL of the names and values of fields of an event, of the row `changed`. A field that is null is left out. */
  readonly event: string;
  /** SQL of the columns that the caller gets of `changed`. */
  readonly columns: string;
  /** States between `accepted` and the stored one that the statement passes: each has an event. */
  readonly passed?: readonly string[];
  readonly parameters: readonly unknown[];
}

/** `accepted` is sent with the change that follows: a request waits for both, and this saves a statement. */
const toChanges = (passed: readonly string[]): string => `
  SELECT changed.changed_at AS at, changed.state, changed.state_seq AS seq
  UNION ALL SELECT changed.accepted_at, 'accepted', 1 WHERE changed.state_seq <= ${passed.length + 2}
  ${passed
    .map((state, index) => ({ state, seq: index + 2 }))
    .map(
      ({ state, seq }) =>
        `UNION ALL SELECT changed.changed_at, '${state}', ${seq} WHERE changed.state_seq > ${seq}`,
    )
    .join(' ')}`;

const BATCHES = `
  SELECT jsonb_build_object('version', 1, 'batchId', gen_random_uuid(),
    'events', jsonb_agg(event ORDER BY at, seq)) AS payload
  FROM (SELECT *, (row_number() OVER () - 1) / ${MAX_EVENTS_PER_BATCH} AS batch FROM event) AS numbered
  GROUP BY batch`;

/** Changes states, and sends an event for each change, in one statement: requests wait for it. */
@Injectable()
export class StateEventsService {
  constructor(private readonly outbox: OutboxService) {}

  /** @returns what `columns` says of the rows that have changed */
  async update(manager: EntityManager, update: StateUpdate): Promise<unknown[]> {
    const { sql, parameters } = this.toStatement(update);
    const rows = await queryRows(manager, sql, [...parameters]);
    this.outbox.notifyAfterCommit(manager);
    return rows;
  }

  /** Updates states in a transaction that runs another statement first. */
  async updateAfter(database: Database, first: Statement, update: StateUpdate): Promise<unknown[]> {
    const [, rows = []] = await database.queryTogether([first, this.toStatement(update)]);
    this.outbox.notify();
    return rows;
  }

  private toStatement({ update, event, columns, passed = [], parameters }: StateUpdate): Statement {
    const queues = [operationEventsQueue, operationCallbacksQueue];
    const insert = this.outbox.toInsertSql(queues, BATCHES, `$${parameters.length + 1}::text`);
    const sql = `WITH changed AS (${update}), event AS (
         SELECT change.at, change.seq, jsonb_strip_nulls(jsonb_build_object(${event}, 'id', gen_random_uuid(),
           'at', ${formatTimestampSql('change.at')}, 'state', change.state, 'seq', change.seq)) AS event
         FROM changed CROSS JOIN LATERAL (${toChanges(passed)}) AS change
       ), sent AS (${insert})
       SELECT ${columns} FROM changed`;
    return { sql, parameters: [...parameters, getTraceparent() ?? null] };
  }
}

@Module({ providers: [StateEventsService], exports: [StateEventsService] })
export class StatesModule {}
