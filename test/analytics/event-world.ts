import { randomUUID } from 'node:crypto';
import type { CommunityEvent } from '@app/dto';
import { freePort } from '../../scripts/processes/ports.mjs';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { type TcpForwarder, tcpForwarder } from '../identity/tcp-forwarder.js';
import { type ForeignQueue, foreignQueue } from '../queues/foreign-queue.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { type BackendName, type QueueBackend, queueBackend } from '../support/queue-backend.js';
import { type RunningApp, runningApp } from '../support/running-app.js';

export interface StoredEvent {
  id: string;
  type: string;
  at: Date;
  community_id: string;
  user_id: string;
  role_id: string | null;
  account_id: string | null;
}

/** The built analytics app, its database, and a producer for its queue. */
export class EventWorld {
  readonly apps: RunningApp[] = [];
  private foreign: ForeignQueue | undefined;

  private constructor(
    private readonly backend: QueueBackend,
    private readonly database: FreshDatabase,
    /** Proxy between analytics and its database. */
    readonly wayToDatabase: TcpForwarder,
    private readonly env: Record<string, string>,
  ) {}

  static async start(name: BackendName, more: Record<string, string> = {}): Promise<EventWorld> {
    const database = await freshDatabase('analytics');
    const backend = await queueBackend(name, { database });
    const { keySet, signing } = makeSecrets(['gateway', 'analytics']);
    const url = new URL(database.url);
    const port = await freePort();
    const way = tcpForwarder(port, { host: url.hostname, port: Number(url.port) });
    await way.open();
    url.host = `127.0.0.1:${port}`;
    const env = {
      NODE_ENV: 'test',
      SHUTDOWN_DELAY_MS: '0',
      INTERNAL_KEYS: JSON.stringify(keySet),
      INTERNAL_SIGNING_KEY: JSON.stringify(signing['analytics']),
      TOKEN_GATING_URL: 'http://127.0.0.1:1', // no report is asked for
      DATABASE_URL: url.href,
      ...backend.env,
      ...more,
    };
    const world = new EventWorld(backend, database, way, env);
    await world.another();
    world.foreign = foreignQueue(backend.env, 'community-events');
    return world;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** Starts another instance of analytics. */
  async another(): Promise<RunningApp> {
    const ports = { PORT: String(await freePort()), MANAGEMENT_PORT: String(await freePort()) };
    const app = await runningApp('analytics', { ...this.env, ...ports });
    this.apps.push(app);
    return app;
  }

  /** Enqueues one job per list of events. */
  async put(...batches: object[][]): Promise<void> {
    await this.putJobs(...batches.map((events) => ({ version: 1, batchId: randomUUID(), events })));
  }

  async putJobs(...jobs: object[]): Promise<void> {
    await this.queue.addBulk(
      jobs.map((data) => ({
        name: 'community-events',
        data,
        opts: { jobId: randomUUID(), removeOnComplete: true },
      })),
    );
  }

  /** Enqueues a job that waits, as one that is retried does. @returns a function that makes it due */
  async putDelayed(events: object[]): Promise<() => Promise<void>> {
    const jobId = randomUUID();
    const data = { version: 1, batchId: randomUUID(), events };
    await this.queue.add('community-events', data, { jobId, delay: 3_600_000, removeOnComplete: true });
    return async () => {
      const jobs = await this.queue.getJobs('delayed');
      await jobs.find(({ id }) => id === jobId)?.promote();
    };
  }

  private get queue(): ForeignQueue['queue'] {
    if (!this.foreign) throw new Error('The queue is not connected yet');
    return this.foreign.queue;
  }

  async failed(): Promise<number> {
    return (await this.queue.getJobCounts('failed'))['failed'] ?? 0;
  }

  /** What the failed jobs carry. */
  async failedJobs(): Promise<{ events?: unknown }[]> {
    return (await this.queue.getJobs('failed')).map(({ data }) => data as { events?: unknown });
  }

  /** Whether no job is waiting, active or delayed. */
  async areAllTaken(): Promise<boolean> {
    const counts = await this.queue.getJobCounts('waiting', 'active', 'delayed');
    return Object.values(counts).every((count) => count === 0);
  }

  async stored(communityId: string): Promise<StoredEvent[]> {
    const rows = await this.query(
      `SELECT id, type, at, community_id, user_id, role_id, account_id
       FROM analytics.events WHERE community_id = $1 ORDER BY at, id`,
      [communityId],
    );
    return rows as StoredEvent[];
  }

  /** How many rows each table has of a community. */
  async rowsOf(communityId: string): Promise<Record<string, number>> {
    const tables = ['events', 'communities', 'event_counts', 'state_intervals', 'user_sketches'];
    const counts = tables.map(
      (table) => `SELECT '${table}' AS name, count(*)::int FROM analytics.${table} WHERE community_id = $1`,
    );
    const rows = await this.query(counts.join(' UNION ALL '), [communityId]);
    return Object.fromEntries(
      (rows as { name: string; count: number }[]).map(({ name, count }) => [name, count]),
    );
  }

  /** The lines of the metrics of all instances that run. */
  async metrics(): Promise<string[]> {
    const pages = await Promise.all(
      this.apps
        .filter(({ process }) => process.exitCode === null)
        .map(async ({ managementUrl }) => (await fetch(`${managementUrl}/metrics`)).text()),
    );
    return pages.join('\n').split('\n');
  }

  /** How many events all instances that run have dropped. */
  async droppedAs(reason: string): Promise<number> {
    const start = `analytics_events_dropped_total{reason="${reason}"`;
    const lines = (await this.metrics()).filter((line) => line.startsWith(start));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return queryDatabase(this.database.url, sql, parameters);
  }

  async stop(): Promise<void> {
    await this.foreign?.close();
    for (const app of this.apps) await app.stop();
    await this.wayToDatabase.close();
    await this.backend.stop();
    await this.database.drop();
  }
}

/** Recent enough to be stored, whenever the tests run. */
export const START = Math.floor(Date.now() / 1_000) * 1_000 - 20 * 86_400_000;

/** A member.joined event, `second` seconds after START. */
export const joined = (communityId: string, second = 0): CommunityEvent => ({
  id: randomUUID(),
  at: new Date(START + second * 1_000).toISOString(),
  type: 'member.joined',
  communityId,
  userId: `user_${second}`,
});

export const deleted = (communityId: string): CommunityEvent => ({
  id: randomUUID(),
  at: new Date(START + 1_000_000).toISOString(),
  type: 'community.deleted',
  communityId,
});
