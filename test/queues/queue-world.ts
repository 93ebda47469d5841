import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/local/ports.mjs';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { hasRedis, LocalRedis } from '../support/local-redis.js';
import { tcpForwarder } from '../identity/tcp-forwarder.js';
import { startTestApp, type TestApp } from './test-app-process.js';

export interface TestJob {
  id: string;
  act?: 'nothing' | 'sleep' | 'block' | 'throw' | 'give-up' | 'later-once' | 'unseen' | 'give-up-unseen';
  ms?: number;
}

/** Where the queues of a test live, and the ways in which that can fail. */
export interface TestBackend {
  env: Record<string, string>;
  /** What it is away with: stopped, or no longer to be reached. */
  takeAway: () => Promise<void>;
  bringBack: () => Promise<void>;
  /** Connected and silent. */
  freeze: () => void;
  unfreeze: () => Promise<void>;
  stop: () => Promise<void>;
}

export const BACKENDS = [...(hasRedis ? (['redis'] as const) : []), 'postgres' as const];
export type BackendName = (typeof BACKENDS)[number];

async function redisBackend(isThere: boolean): Promise<TestBackend> {
  const redis = await LocalRedis.prepare({ args: ['--appendonly', 'yes', '--appendfsync', 'everysec'] });
  if (isThere) await redis.start();
  return {
    env: { REDIS_URL: redis.url },
    takeAway: () => redis.kill(),
    bringBack: () => redis.start(),
    freeze: () => {
      redis.pause();
    },
    unfreeze: () => {
      redis.resume();
      return Promise.resolve();
    },
    stop: () => redis.stop(),
  };
}

async function postgresBackend(database: FreshDatabase, isThere: boolean): Promise<TestBackend> {
  const url = new URL(database.url);
  const port = await freePort();
  const forwarder = tcpForwarder(port, { host: url.hostname, port: Number(url.port || 5432) });
  url.host = `127.0.0.1:${port}`;
  if (isThere) await forwarder.open();
  let isOpen = isThere;
  const close = async (): Promise<void> => {
    if (isOpen) await forwarder.close();
    isOpen = false;
  };
  const open = async (): Promise<void> => {
    await forwarder.open();
    isOpen = true;
  };
  return {
    env: { QUEUE_DATABASE_URL: url.href },
    takeAway: close,
    bringBack: open,
    freeze: () => {
      forwarder.goSilent();
    },
    unfreeze: async () => {
      await close();
      await open();
    },
    stop: close,
  };
}

/** A database of notes, a backend, and apps that work on the queue. */
export class QueueWorld {
  private readonly apps: TestApp[] = [];

  private constructor(
    readonly backend: TestBackend,
    readonly database: FreshDatabase,
    private readonly notes: pg.Pool,
  ) {}

  static async make(name: BackendName, { isThere = true } = {}): Promise<QueueWorld> {
    const database = await freshDatabase();
    const notes = new pg.Pool({ connectionString: database.url, max: 2 });
    await notes.query(
      'CREATE TABLE starts (id text, worker text, attempt int, at timestamptz DEFAULT now())',
    );
    await notes.query('CREATE TABLE effects (id text PRIMARY KEY, worker text)');
    const backend = name === 'redis' ? await redisBackend(isThere) : await postgresBackend(database, isThere);
    return new QueueWorld(backend, database, notes);
  }

  async app(worker: string, env: Record<string, string> = {}): Promise<TestApp> {
    const app = await startTestApp({
      NOTES_DATABASE_URL: this.database.url,
      WORKER_NAME: worker,
      QUEUE_LOCK_MS: '1500',
      QUEUE_STALLED_INTERVAL_MS: '1000',
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

/** Asks until the answer is yes. The time-out is a bound against hanging, not a measurement. */
export async function until(what: string, isTrue: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Not so within ${timeoutMs} ms: ${what}`);
    await sleep(50);
  }
}
