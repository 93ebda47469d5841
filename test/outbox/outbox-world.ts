import { type BackendName, QueueWorld, type TestJob } from '../queues/queue-world.js';
import type { TestApp } from '../queues/test-app-process.js';
import { until } from '../support/until.js';

/** Any schema that has an outbox. */
const SCHEMA = 'token_gating';

/** Apps that share an outbox and a queue, which they fill and, unless told otherwise, work on. */
export class OutboxWorld {
  private constructor(readonly queues: QueueWorld) {}

  static async make(name: BackendName): Promise<OutboxWorld> {
    return new OutboxWorld(await QueueWorld.make(name, { schemas: ['token-gating'] }));
  }

  /** Ready, also while its queue is away. */
  async app(worker: string, env: Record<string, string> = {}): Promise<TestApp> {
    const app = await this.queues.app(worker, {
      DATABASE_URL: this.queues.database.url,
      OUTBOX_SCHEMA: SCHEMA,
      OUTBOX_POLL_MS: '200',
      ...env,
    });
    await until('ready', async () => (await app.health('ready')) === 200);
    return app;
  }

  /** Rows as an instance leaves them that ends right after its commit. */
  async leave(queue: string, payloads: object[]): Promise<void> {
    await this.query(
      `INSERT INTO ${SCHEMA}.outbox (queue, payload) SELECT $1, jsonb_array_elements($2::jsonb)`,
      [queue, JSON.stringify(payloads)],
    );
  }

  /** As if they had been there for so long, because the queue was away. */
  async age(hours: number): Promise<void> {
    await this.query(`UPDATE ${SCHEMA}.outbox SET created_at = now() - $1 * interval '1 hour'`, [hours]);
  }

  async waiting(): Promise<number> {
    const [row] = await this.query(`SELECT count(*)::int AS n FROM ${SCHEMA}.outbox WHERE set_aside IS NULL`);
    return Number(row?.['n']);
  }

  async setAside(): Promise<{ queue: string; set_aside: string }[]> {
    const rows = await this.query(
      `SELECT queue, set_aside FROM ${SCHEMA}.outbox WHERE set_aside IS NOT NULL ORDER BY id`,
    );
    return rows as { queue: string; set_aside: string }[];
  }

  /** As if an instance had been lost so long ago that others may take its rows. */
  async letTimePass(): Promise<void> {
    await this.query(`UPDATE ${SCHEMA}.outbox SET due_at = created_at`);
  }

  /** From now on rows can be taken and not removed. */
  async keepRows(): Promise<void> {
    await this.query(`
      CREATE FUNCTION keep_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`);
    await this.query(
      `CREATE TRIGGER keep BEFORE DELETE ON ${SCHEMA}.outbox FOR EACH ROW EXECUTE FUNCTION keep_row()`,
    );
  }

  async letRowsGo(): Promise<void> {
    await this.query(`DROP TRIGGER keep ON ${SCHEMA}.outbox`);
  }

  /** How often jobs were begun, and by how many different ids. */
  async begun(): Promise<{ times: number; jobs: number }> {
    const [row] = await this.query(
      'SELECT count(*)::int AS times, count(DISTINCT id)::int AS jobs FROM starts',
    );
    return { times: Number(row?.['times']), jobs: Number(row?.['jobs']) };
  }

  async areDone(jobs: TestJob[]): Promise<boolean> {
    const effects = new Set(await this.queues.effects());
    return jobs.every(({ id }) => effects.has(id));
  }

  stop(): Promise<void> {
    return this.queues.stop();
  }

  private async query(sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
    const { rows } = await this.queues.notes.query<Record<string, unknown>>(sql, parameters);
    return rows;
  }
}

/** What an app says of a metric, summed over its labels. */
export async function metricOf(app: TestApp, name: string, labels = ''): Promise<number> {
  const lines = (await app.metrics()).matchAll(/^(\w+)\{(.*)\} (\S+)$/gm);
  return [...lines]
    .filter(([, metric, those = '']) => metric === name && those.includes(labels))
    .reduce((sum, [, , , value]) => sum + Number(value), 0);
}
