import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../processes/error-facts.mjs';
import { prepareCluster } from './postgres-cluster.mjs';

/** @import { Child } from '../processes/children.mjs' */
/** @import { GuardOrder } from '../processes/guarded.mjs' */
/** @import { Run } from './postgres-cluster.mjs' */

const START_MS = 60_000;
const CANNOT_CONNECT_NOW = '57P03'; // it recovers after a crash

/**
 * Starts PostgreSQL on the loopback interface and waits until it answers.
 * @param {object} options
 * @param {import('../processes/children.mjs').Children} options.children
 * @param {import('./postgres-place.mjs').PostgresPlace} options.place
 * @param {number} options.port
 * @param {string[]} [options.settings] each `name=value`
 * @param {string[]} [options.initFlags] for initdb
 * @param {string[]} [options.removeAfter] folders that go with the server
 * @returns {Promise<{ child: import('../processes/children.mjs').Child, adminUrl: string, password: string }>} adminUrl is the superuser's
 */
export async function startPostgres({ children, place, port, settings = [], initFlags, removeAfter }) {
  const env = serverEnvironment();
  /** @type {Run} */
  const run = (command, args, order) => children.run('initdb', command, args, { order, env });
  const { data, password } = await prepareCluster(place, run, initFlags);
  const all = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=800',
    'timezone=UTC',
    'log_timezone=UTC',
    ...settings,
  ];
  /** @type {GuardOrder} */
  const order = {
    command: join(place.server, 'bin/postgres'),
    args: ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])],
    cwd: place.home,
    uid: place.user?.uid,
    gid: place.user?.gid,
    stop: { signal: 'SIGINT', wait: 15_000 }, // "fast": open transactions are rolled back
    hurry: { signal: 'SIGQUIT', wait: 3_000 }, // "immediate": recovers at the next start
    removeAfter,
  };
  const child = children.startGuarded('postgres', order, env);
  const adminUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await untilItAnswers(child, adminUrl);
  return { child, adminUrl, password };
}

/** Nothing of the caller's own PostgreSQL settings (PGDATA, PGPORT …) reaches the server. */
function serverEnvironment() {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** @param {Child} child @param {string} url */
async function untilItAnswers(child, url) {
  const { default: pg } = await import('pg');
  const deadline = Date.now() + START_MS;
  const end = new AbortController();
  void child.ended.then(() => {
    end.abort();
  });
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (end.signal.aborted) throw new Error('PostgreSQL did not start', { cause: error });
      if (!['ECONNREFUSED', CANNOT_CONNECT_NOW].includes(codeOf(error) ?? '')) throw error;
      if (Date.now() > deadline)
        throw new Error(`PostgreSQL does not answer after ${START_MS / 1000} s`, { cause: error });
    }
    await sleep(30);
  }
}
