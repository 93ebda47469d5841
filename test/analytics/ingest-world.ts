import { createDatabase, type Database, queryRows } from '@app/database';
import pg from 'pg';
import { pino } from 'pino';
import { storage } from '../../apps/analytics/src/database/storage.js';
import {
  EventIngestService,
  type IngestMetrics,
} from '../../apps/analytics/src/ingest/event-ingest.service.js';
import type { IngestedEvent } from '../../apps/analytics/src/ingest/ingest-events.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';

const METRICS: Pick<IngestMetrics, 'recordStored' | 'recordDropped'> = {
  recordStored: () => undefined,
  recordDropped: () => undefined,
};

/** PostgreSQL plans a prepared statement for its values this often, and then keeps a plan for any values unless that costs more. */
const RUNS_BEFORE_A_PLAN_IS_KEPT = 5;

export const createService = (database: Database): EventIngestService =>
  new EventIngestService(database, { ANALYTICS_RETENTION_DAYS: 400 }, METRICS as IngestMetrics);

/** Replicas of the ingest of analytics, each with connections of its own to one database. */
export class IngestWorld {
  private constructor(
    private readonly fresh: FreshDatabase,
    readonly databases: readonly Database[],
    readonly replicas: readonly EventIngestService[],
  ) {}

  static async start(replicas = 2): Promise<IngestWorld> {
    const fresh = await freshDatabase('analytics');
    const settings = {
      DATABASE_URL: fresh.url,
      DATABASE_POOL_SIZE: 5,
      DATABASE_STATEMENT_TIMEOUT_MS: 10_000,
    };
    const context = { name: 'ingest-test', logger: pino({ enabled: false }) };
    const databases = Array.from({ length: replicas }, () => createDatabase(storage, settings, context));
    for (const database of databases) await database.connect();
    return new IngestWorld(fresh, databases, databases.map(createService));
  }

  get database(): Database {
    const [first] = this.databases;
    if (!first) throw new Error('A world has a replica');
    return first;
  }

  get url(): string {
    return this.fresh.url;
  }

  /** Each job by one replica, all replicas at once and four jobs at a time in each. */
  async ingest(jobs: readonly (readonly IngestedEvent[])[]): Promise<void> {
    const waiting = [...jobs];
    const work = async (replica: EventIngestService): Promise<void> => {
      for (let job = waiting.shift(); job; job = waiting.shift()) await replica.ingest(job);
    };
    await Promise.all(this.replicas.flatMap((replica) => Array.from({ length: 4 }, () => work(replica))));
  }

  /**
   * How many rows the statements of some work read of each table, by their query plans: the plan for the values at hand, or the one
   * that a connection keeps for a statement that it runs often, if that reads more.
   */
  async countRowsRead(work: (database: Database) => Promise<unknown>): Promise<Record<string, number>> {
    const { database } = this;
    const statements: [string, unknown[]][] = [];
    const recorder = Object.create(database, {
      query: {
        value: (sql: string, parameters: unknown[] = []) => {
          statements.push([sql, parameters]);
          return database.query(sql, parameters);
        },
      },
    }) as Database;
    await work(recorder);
    const first: Record<string, number> = {};
    const kept: Record<string, number> = {};
    for (const [sql, parameters] of statements) {
      const plans = await this.explainOften(sql, parameters);
      addRows(plans.first, first);
      addRows(plans.kept, kept);
    }
    const tables = [...new Set([...Object.keys(first), ...Object.keys(kept)])];
    return Object.fromEntries(tables.map((table) => [table, Math.max(first[table] ?? 0, kept[table] ?? 0)]));
  }

  private explainOften(sql: string, parameters: readonly unknown[]) {
    return this.database.transaction(async (manager) => {
      await queryRows(manager, `PREPARE explained AS ${sql}`);
      const values = parameters.length > 0 ? `(${parameters.map(toLiteral).join()})` : '';
      const explain = async (): Promise<PlanNode> => {
        const plans = await queryRows(manager, `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained${values}`);
        const [{ 'QUERY PLAN': plan }] = plans as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }];
        return plan[0].Plan;
      };
      const first = await explain();
      for (let count = 1; count < RUNS_BEFORE_A_PLAN_IS_KEPT; count += 1) await explain();
      const kept = await explain();
      await queryRows(manager, 'DEALLOCATE explained');
      return { first, kept };
    });
  }

  async stop(): Promise<void> {
    for (const database of this.databases) await database.close();
    await this.fresh.drop();
  }
}

function toLiteral(value: unknown): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join()}}`);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return pg.escapeLiteral(text);
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

function addRows(node: PlanNode, rows: Record<string, number>): void {
  const { 'Relation Name': table, 'Actual Rows': found, 'Actual Loops': loops } = node;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  if (table !== undefined) rows[table] = (rows[table] ?? 0) + (found + removed) * loops;
  for (const child of node.Plans ?? []) addRows(child, rows);
}
