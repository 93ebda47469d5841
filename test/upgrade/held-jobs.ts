import { type ForeignQueue, foreignQueue } from '../queues/foreign-queue.js';
import { until } from '../support/until.js';
import type { TwoReleases } from './two-releases.js';

/** Queues that clients of the smoke fill. */
const QUEUES = [
  'check-roles',
  'check-roles-results',
  'member-checks',
  'balance-checks',
  'community-events',
  'wallet-events',
];
const OUTBOXES = ['token_gating.outbox', 'identity.outbox'];

/** Rows wait for an hour while the table upgrade_test.held exists. */
const HOLD_ROWS = `
  CREATE SCHEMA upgrade_test;
  CREATE FUNCTION upgrade_test.hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass('upgrade_test.held') IS NOT NULL THEN NEW.due_at := now() + interval '1 hour'; END IF;
      RETURN NEW;
    END $$;
  ${OUTBOXES.map((table) => `CREATE TRIGGER hold BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION upgrade_test.hold();`).join('\n')}`;

/** Lets jobs wait in queues and outboxes, so that one release makes them and the other handles them. */
export class HeldJobs {
  private constructor(
    private readonly releases: TwoReleases,
    private readonly queues: Map<string, ForeignQueue>,
  ) {}

  static async start(releases: TwoReleases): Promise<HeldJobs> {
    await releases.query(HOLD_ROWS);
    const env = { QUEUE_DATABASE_URL: releases.databaseUrl };
    return new HeldJobs(releases, new Map(QUEUES.map((name) => [name, foreignQueue(env, name)])));
  }

  /** Stops everything that takes jobs out of queues. */
  async holdQueues(): Promise<void> {
    await Promise.all([...this.queues.values()].map(({ queue }) => queue.pause()));
  }

  /** Waits until what was done so far is in queues. From now on it stays in outboxes. */
  async holdOutboxes(): Promise<void> {
    await until('the jobs are in queues', async () => (await this.countRows()) === 0);
    await this.releases.query('CREATE TABLE upgrade_test.held ()');
  }

  async countRows(): Promise<number> {
    const counts = OUTBOXES.map((table) => `(SELECT count(*)::int FROM ${table})`).join(' + ');
    const [row] = (await this.releases.query(`SELECT ${counts} AS count`)) as { count: number }[];
    return row?.count ?? 0;
  }

  /** @returns the queues that hold jobs. BullMQ counts none as waiting while a queue is paused. */
  async findHolding(): Promise<string[]> {
    const sql = `SELECT DISTINCT queue FROM queue.job WHERE state = 'waiting' ORDER BY 1`;
    return (await this.releases.query(sql)).map((row) => (row as { queue: string }).queue);
  }

  async release(): Promise<void> {
    await this.releases.query('DROP TABLE upgrade_test.held');
    for (const table of OUTBOXES) await this.releases.query(`UPDATE ${table} SET due_at = now()`);
    await Promise.all([...this.queues.values()].map(({ queue }) => queue.resume()));
  }

  /** @returns `<queue>`, or `<queue>: <event>`, of what the running release could not read and left for others */
  async findUnread(): Promise<Set<string>> {
    const failed = await Promise.all(
      [...this.queues].map(async ([queue, one]) =>
        (await one.queue.getJobs('failed')).map((job) => ({ queue, payload: job.data as Payload })),
      ),
    );
    const unsendable = OUTBOXES.map(
      (table) => `SELECT queue, payload FROM ${table} WHERE unsendable_since IS NOT NULL`,
    );
    const rows = (await this.releases.query(unsendable.join(' UNION ALL '))) as UnreadJob[];
    return new Set([...failed.flat(), ...rows].flatMap(describeJob));
  }

  async stop(): Promise<void> {
    for (const { close } of this.queues.values()) await close();
  }
}

interface Payload {
  events?: { type: string }[];
}

interface UnreadJob {
  queue: string;
  payload: Payload;
}

const describeJob = ({ queue, payload }: UnreadJob): string[] =>
  payload.events?.map(({ type }) => `${queue}: ${type}`) ?? [queue];
