import { generateKeyPairSync } from 'node:crypto';
import { pino } from 'pino';
import { importBuilt } from '../scripts/build/import-built.mjs';
import { migrate } from '../scripts/postgres/migrations.mjs';
import { root } from '../scripts/build/project.mjs';
import { startThrowAwayPostgres } from '../scripts/postgres/throw-away-postgres.mjs';
import { fixed, median, percentile, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Database } from '../libs/database/src/database.js' */
/** @import { StatusListsService } from '../apps/token-gating/src/verifiable-credentials/status/status-lists.service.js' */
/** @typedef {{ entries: number, places: number, lists: number, bytes: number }} Counts */

const CREDENTIALS = 200_000;
const WRITERS = 8;
const STATEMENT_TIMEOUT_MS = 60_000;
const PUBLIC_URL = 'http://localhost:3000';

const COUNTS = `
  SELECT count(*)::int AS entries, count(DISTINCT (list_id, entry))::int AS places, count(DISTINCT list_id)::int AS lists,
    pg_total_relation_size('token_gating.credential_status_entries')::int AS bytes
  FROM token_gating.credential_status_entries`;
const REVOKE_HALF = `
  UPDATE token_gating.credential_status_entries SET revoked_at = now() - interval '1 hour' WHERE entry % 2 = 0`;

/**
 * Status entries of 200,000 credentials: how long one takes, whether one was used twice, and the size of a list.
 * @param {Children} children
 */
export async function statusLists(children) {
  const databaseUrl = await startThrowAwayPostgres(children, root);
  await migrate(children, root, databaseUrl);
  const database = await connect(databaseUrl);
  const service = await createService(database);
  /** @type {number[]} */
  const times = [];
  let left = CREDENTIALS;
  const write = async () => {
    while (left-- > 0) {
      const begin = performance.now();
      await database.transaction((manager) => service.take(manager));
      times.push(performance.now() - begin);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, write));
  const seconds = (performance.now() - begin) / 1_000;
  const [counts] = /** @type {[Counts]} */ (await database.query(COUNTS));
  const { entries, places, lists, bytes } = counts;
  await database.query(REVOKE_HALF);
  const publish = performance.now();
  const token = await service.publish(1);
  const publishMs = performance.now() - publish;
  await database.close();
  return table(
    `Status entries of ${CREDENTIALS} credentials, ${WRITERS} at a time (wanted: none is used twice)`,
    ['', ''],
    [
      ['entries, distinct places, lists', `${entries}, ${places}, ${lists}`],
      ['entries a second', fixed(CREDENTIALS / seconds, 0)],
      ['one transaction, p50 and p99, ms', `${fixed(median(times))}, ${fixed(percentile(times, 0.99))}`],
      ['a list with half of its entries revoked, KiB', fixed(token.length / 1_024, 1)],
      ['reading and signing it, ms', fixed(publishMs, 1)],
      ['rows and indexes of all entries, MiB', fixed(bytes / 1_024 / 1_024, 1)],
    ],
  );
}

/** @param {string} databaseUrl */
async function connect(databaseUrl) {
  const { createDatabase } =
    /** @type {typeof import('../libs/database/src/database.provider.js')} */
    (await importBuilt('libs/database/src/index.js'));
  const { storage } =
    /** @type {typeof import('../apps/token-gating/src/database/storage.js')} */
    (await importBuilt('apps/token-gating/src/database/storage.js'));
  const settings = {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: WRITERS,
    DATABASE_STATEMENT_TIMEOUT_MS: STATEMENT_TIMEOUT_MS,
  };
  const database = createDatabase(storage, settings, { name: 'bench', logger: pino({ level: 'silent' }) });
  await database.connect();
  return database;
}

/**
 * The service of the app, with a key of this run.
 * @param {Database} database
 * @returns {Promise<StatusListsService>}
 */
async function createService(database) {
  const file = 'apps/token-gating/src/verifiable-credentials/status/status-lists.service.js';
  const built = /** @type {{ StatusListsService: new (...parts: unknown[]) => StatusListsService }} */ (
    await importBuilt(file)
  );
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = { getSigningKey: () => ({ kid: 'bench', privateKey }) };
  return new built.StatusListsService(database, keys, { PUBLIC_URL });
}
