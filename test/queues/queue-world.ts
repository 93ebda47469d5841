import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import * as servers from '../support/queue-backend.js';
import { clusterBackend } from './cluster-backend.js';
import { startTestApp, type TestApp } from './test-app-process.js';
import { databasePool } from '../support/database-pool.js';

export type BackendName = servers.BackendName | 'redis cluster';
/** Every behaviour is tested on both. A Redis Cluster has tests of its own, and one of each behaviour. */
export const { BACKENDS } = servers;
export { until } from '../support/until.js';

export interface TestJob {
  id: string;
  act?:
    | 'nothing'
    | 'sleep'
    | 'sleep-once'
    | 'block'
    | 'throw'
    | 'give-up'
    | 'later-once'
    | 'unseen'
    | 'give-up-unseen';
  ms?: number;
  rank?: number;
}

/** A lock of workers whose jobs none may take over: a worker that stood still for three seconds renews it in time. */
export const STEADY_LOCK = { QUEUE_LOCK_MS: '6000' };

/** A database that records starts and effects of jobs, a queue backend, and apps that work on the queue. */
export class QueueWorld {
  private readonly apps: TestApp[] = [];

  private constructor(
    readonly backend: servers.QueueBackend,
    readonly database: FreshDatabase,
    /** Connections of the tests to the same database. */
    readonly notes: pg.Pool,
  ) {}

  /** @param schemas apps whose migrations are applied to the database */
  static async make(
    name: BackendName,
    { isRunning = true, schemas = [] as string[] } = {},
  ): Promise<QueueWorld> {
    const database = await freshDatabase(...schemas);
    const notes = databasePool(database.url);
    await notes.query(
      'CREATE TABLE starts (id text, worker text, attempt int, at timestamptz DEFAULT now())',
    );
    await notes.query('CREATE TABLE effects (id text PRIMARY KEY, worker text)');
    const backend =
      name === 'redis cluster'
        ? await clusterBackend(isRunning)
        : await servers.queueBackend(name, { database, isThere: isRunning });
    return new QueueWorld(backend, database, notes);
  }

  async app(worker: string, env: Record<string, string> = {}): Promise<TestApp> {
    const app = await startTestApp({
      NOTES_DATABASE_URL: this.database.url,
      WORKER_NAME: worker,
      QUEUE_LOCK_MS: '1500',
      QUEUE_STALLED_INTERVAL_MS: '1000',
      // A busy machine may stop any process for seconds.
      QUEUE_ENQUEUE_TIMEOUT_MS: '5000',
      ...this.backend.env,
      ...env,
    });
    this.apps.push(app);
    return app;
  }

  async effects(): Promise<string[]> {
    const { rows } = await this.notes.query<{ id: string }>('SELECT id FROM effects ORDER BY id');
    return rows.map(({ id }) => id);
  }

  async starts(id: string): Promise<{ worker: string; attempt: number }[]> {
    const { rows } = await this.notes.query<{ worker: string; attempt: number }>(
      'SELECT worker, attempt FROM starts WHERE id = $1 ORDER BY at',
      [id],
    );
    return rows;
  }

  async stop(): Promise<void> {
    for (const app of this.apps) app.kill();
    await Promise.all(this.apps.map(({ ended }) => ended));
    await this.backend.stop();
    await this.notes.end();
    await this.database.drop();
  }
}

export const aJob = (rest: Omit<TestJob, 'id'> = {}): TestJob => ({ id: randomUUID(), ...rest });

export const someJobs = (count: number, rest: Omit<TestJob, 'id'> = {}): TestJob[] =>
  Array.from({ length: count }, () => aJob(rest));

export const idsOf = (jobs: TestJob[]): string[] => jobs.map(({ id }) => id).sort();
