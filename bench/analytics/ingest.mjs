import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { importBuilt } from '../../scripts/build/import-built.mjs';
import { fixed, median, table } from '../support/table.mjs';

/** @import { EventIngestService as IngestService } from '../../apps/analytics/src/ingest/event-ingest.service.js' */
/** @import { Gatehouse } from '../support/gatehouse.mjs' */
/** @typedef {Parameters<IngestService['ingest']>[0]} Events */
/** @typedef {{ name: string, store: (events: Events) => Promise<unknown>, atOnce: number, rounds: number[] }} Side */

const ROUNDS = 3;
const BATCHES = 60;
const WARM_UP_BATCHES = 20;
/** Events in a batch, as their jobs arrive. */
const BATCH_SIZE = 500;
/** Connections of each side. */
const CONCURRENCY = 4;
/** Jobs of the consumer of analytics: those that it has at once share transactions. */
const JOBS_AT_ONCE = 16;
const COMMUNITIES = 10;
const ROLES = 5;
const MEMBERS = 1_000;
const COLUMNS = ['id', 'type', 'at', 'community_id', 'user_id', 'role_id', 'account_id'];

const PLAIN_TABLE = `
  CREATE SCHEMA IF NOT EXISTS bench;
  CREATE TABLE bench.events (
    id uuid NOT NULL, type text NOT NULL, at timestamptz NOT NULL, community_id text NOT NULL, user_id text NOT NULL,
    role_id text, account_id text, received_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (at, id)
  )`;

/**
 * Events that are stored and counted, beside multi-row inserts of the same events into a table with the same primary key.
 * @param {{ gatehouse: Gatehouse, sql: pg.Pool }} options
 */
export async function measureIngest({ gatehouse, sql }) {
  await sql.query(PLAIN_TABLE);
  const plain = new pg.Pool({ connectionString: gatehouse.databaseUrl, max: CONCURRENCY });
  const { database, service } = await startIngest(gatehouse.databaseUrl);
  const kinds = [
    { name: 'of one community, as token-gating publishes them', isMixed: false },
    { name: `of ${COMMUNITIES} communities each`, isMixed: true },
  ];
  const rows = [];
  for (const { name, isMixed } of kinds) {
    /** @type {[Side, Side]} */
    const sides = [
      {
        name: 'plain multi-row inserts',
        store: (events) => insert(plain, events),
        atOnce: CONCURRENCY,
        rounds: [],
      },
      {
        name: 'ingest with counts',
        store: (events) => service.ingest(events),
        atOnce: JOBS_AT_ONCE,
        rounds: [],
      },
    ];
    for (const side of sides) await storeAll(createBatches(WARM_UP_BATCHES, isMixed), side);
    for (let round = 0; round < ROUNDS; round += 1) {
      const batches = createBatches(BATCHES, isMixed);
      for (const side of sides) side.rounds.push(await storeAll(batches, side));
    }
    const reference = median(sides[0].rounds);
    const ingest = median(sides[1].rounds);
    rows.push([name, fixed(reference, 0), fixed(ingest, 0), fixed(ingest / reference)]);
  }
  await database.close();
  await plain.end();
  return table(
    `Batches of ${BATCH_SIZE} events, ${CONCURRENCY} connections, median of ${ROUNDS} rounds (wanted: at least 0.3)`,
    ['', 'plain inserts, events/s', 'stored and counted, events/s', 'ratio'],
    rows,
  );
}

/** The ingest of the built analytics, without the queue before it. @param {string} databaseUrl */
async function startIngest(databaseUrl) {
  const { createDatabase } = /** @type {typeof import('@app/database')} */ (
    await importBuilt('libs/database/src/index.js')
  );
  const { storage } = /** @type {typeof import('../../apps/analytics/src/database/storage.js')} */ (
    await importBuilt('apps/analytics/src/database/storage.js')
  );
  const { EventIngestService } =
    /** @type {{ EventIngestService: new (...parts: unknown[]) => IngestService }} */ (
      await importBuilt('apps/analytics/src/ingest/event-ingest.service.js')
    );
  const settings = {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: CONCURRENCY,
    DATABASE_STATEMENT_TIMEOUT_MS: 10_000,
  };
  const database = createDatabase(storage, settings, {
    name: 'bench-ingest',
    logger: pino({ enabled: false }),
  });
  await database.connect();
  const metrics = { recordStored: () => undefined, recordDropped: () => undefined };
  return { database, service: new EventIngestService(database, { ANALYTICS_RETENTION_DAYS: 400 }, metrics) };
}

/** Events of the last minutes. @param {number} count @param {boolean} isMixed */
function createBatches(count, isMixed) {
  /** @param {number} size */
  const pick = (size) => Math.floor(Math.random() * size);
  const kinds = [
    () => ({ type: 'member.checked' }),
    () => ({ type: 'member.signed_in' }),
    () => ({ type: pick(2) === 0 ? 'member.joined' : 'member.left' }),
    () => ({ type: pick(2) === 0 ? 'role.granted' : 'role.revoked', roleId: `role_${pick(ROLES)}` }),
    () => ({
      type: pick(2) === 0 ? 'wallet.linked' : 'wallet.unlinked',
      accountId: `eip155:1:0x${pick(1_000)}`,
    }),
  ];
  /** @param {number} community */
  const createEvent = (community) => ({
    id: randomUUID(),
    at: new Date(Date.now() - pick(10 * 60_000)).toISOString(),
    communityId: `community_ingest_${isMixed ? pick(COMMUNITIES) : community}`,
    userId: `user_${pick(MEMBERS)}`,
    ...kinds[pick(kinds.length)]?.(),
  });
  return Array.from(
    { length: count },
    (_, batch) =>
      /** @type {Events} */ (Array.from({ length: BATCH_SIZE }, () => createEvent(batch % COMMUNITIES))),
  );
}

/** @param {Events[]} batches @param {Side} side @returns {Promise<number>} events per second */
async function storeAll(batches, { store, atOnce }) {
  const waiting = [...batches];
  const started = performance.now();
  const work = async () => {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) await store(batch);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return (batches.length * BATCH_SIZE) / ((performance.now() - started) / 1_000);
}

/** @param {pg.Pool} pool @param {Events} events of communities and members */
async function insert(pool, events) {
  const values = events.map(
    (_, row) => `(${COLUMNS.map((__, column) => `$${row * COLUMNS.length + column + 1}`).join()})`,
  );
  await pool.query(
    `INSERT INTO bench.events (${COLUMNS.join()}) VALUES ${values.join()}`,
    events.flatMap((event) => {
      /** @type {Record<string, unknown>} */
      const { id, type, at, communityId, userId, roleId = null, accountId = null } = { ...event };
      return [id, type, at, communityId, userId, roleId, accountId];
    }),
  );
}
