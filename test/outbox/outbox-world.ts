import { type BackendName, QueueWorld, type TestJob } from '../queues/queue-world.js';
import type { TestApp } from '../queues/test-app-process.js';
import { until } from '../support/until.js';

/** A schema that contains an outbox, as those of other apps do. */
const SCHEMA = 'token_gating';

/** Test apps that share an outbox and a queue. They produce jobs and, by default, consume them. */
export class OutboxWorld {
  private constructor(readonly queues: QueueWorld) {}

  static async make(name: BackendName): Promise<OutboxWorld> {
    return new OutboxWorld(await QueueWorld.make(name, { schemas: ['token-gating'] }));
  }

  /** Starts an app and waits until it is ready, which does not require the queue backend. */
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

  /** Inserts rows like an instance that was killed right after its commit. */
  async insertRows(queue: string, payloads: object[]): Promise<void> {
    await this.query(
      `INSERT INTO ${SCHEMA}.outbox (queue, payload) SELECT $1, jsonb_array_elements($2::jsonb)`,
      [queue, JSON.stringify(payloads)],
    );
  }

  /** Backdates all rows. */
  async backdate(hours: number): Promise<void> {
    await this.query(`UPDATE ${SCHEMA}.outbox SET created_at = now() - $1 * interval '1 hour'`, [hours]);
  }

  async countWaiting(): Promise<number> {
    const [row] = await this.query(`SELECT count(*)::int AS n FROM ${SCHEMA}.outbox WHERE set_aside IS NULL`);
    return Number(row?.['n']);
  }

  async listDeadLetters(): Promise<{ queue: string; set_aside: string }[]> {
    const rows = await this.query(
      `SELECT queue, set_aside FROM ${SCHEMA}.outbox WHERE set_aside IS NOT NULL ORDER BY id`,
    );
    return rows as { queue: string; set_aside: string }[];
  }

  /** Ends the claims of all rows, like the lease of a killed instance. */
  async expireClaims(): Promise<void> {
    await this.query(`UPDATE ${SCHEMA}.outbox SET due_at = created_at`);
  }

  /** Makes every DELETE fail until allowDeletes. */
  async blockDeletes(): Promise<void> {
    await this.query(`
      CREATE FUNCTION block_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`);
    await this.query(
      `CREATE TRIGGER block_delete BEFORE DELETE ON ${SCHEMA}.outbox FOR EACH ROW EXECUTE FUNCTION block_delete()`,
    );
  }

  async allowDeletes(): Promise<void> {
    await this.query(`DROP TRIGGER block_delete ON ${SCHEMA}.outbox`);
  }

  /** Counts runs of jobs, and distinct jobs among them. */
  async countRuns(): Promise<{ runs: number; jobs: number }> {
    const [row] = await this.query(
      'SELECT count(*)::int AS runs, count(DISTINCT id)::int AS jobs FROM starts',
    );
    return { runs: Number(row?.['runs']), jobs: Number(row?.['jobs']) };
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

/** Fetches a metric of an app, summed over all series whose labels contain `labels`. */
export async function fetchMetric(app: TestApp, name: string, labels = ''): Promise<number> {
  const lines = (await app.metrics()).matchAll(/^(\w+)\{(.*)\} (\S+)$/gm);
  return [...lines]
    .filter(([, metric, seriesLabels = '']) => metric === name && seriesLabels.includes(labels))
    .reduce((sum, [, , , value]) => sum + Number(value), 0);
}
