import pg from 'pg';
import { DEMO_ORIGIN } from '../scripts/demo/demo-client.mjs';
import { signInWithWallet } from '../scripts/demo/wallet-sign-in.mjs';
import { startService } from './support/baseline.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { measureSides, sidesTable } from './support/sides.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

const CLIENTS = 64;
const TIMES = { rounds: 5, seconds: 5, warmUpSeconds: 3 };
const SCOPES = ['user:read', 'user:wallet:read'];
const USERS = 10_000;

/**
 * What users read of themselves, beside tuned Express with one prepared query behind tuned Express + undici, on the same database.
 * @param {Children} children
 */
export async function accountReads(children) {
  const gatehouse = await startGatehouse(children);
  const { gatewayUrl, apiKey, accounts, databaseUrl } = gatehouse;
  const client = { gatewayUrl, apiKey, origin: DEMO_ORIGIN, chainId: 31337 };
  const authorization = await signInWithWallet(client, accounts.holder.privateKey, SCOPES);
  const headers = { authorization };
  await addUsers(databaseUrl);
  const service = await startService(children, 'user-service', { DATABASE_URL: databaseUrl });
  const proxy = await startService(children, 'tuned-proxy', { UPSTREAM_URL: service.url });
  let next = 0;
  const freshPath = () => `/users/user_bench_${next++ % USERS}`;
  const request = { method: 'GET', headers, connections: CLIENTS };
  const processes = gatehouse.processes(['gateway', 'identity']);
  const measured = await measureSides(
    [
      {
        name: 'Express + undici, tuned, in front of Express with one prepared query',
        request: { ...request, url: proxy.url, freshPath },
        processes: { proxy: proxy.pid, service: service.pid },
      },
      { name: 'GET /account/me', request: { ...request, url: `${gatewayUrl}/account/me` }, processes },
      {
        name: 'GET /account/wallets',
        request: { ...request, url: `${gatewayUrl}/account/wallets` },
        processes,
      },
    ],
    TIMES,
  );
  await gatehouse.stop();
  return sidesTable(
    `What a user reads of themselves, without the processor time of PostgreSQL, ${CLIENTS} clients, median of ${TIMES.rounds} rounds (wanted: at least 0.7)`,
    measured,
  );
}

/** @param {string} databaseUrl */
async function addUsers(databaseUrl) {
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  await sql.query(
    `INSERT INTO identity.users (id, platform, platform_user_id)
     SELECT 'user_bench_' || n, 'chat', 'bench_' || n FROM generate_series(0, $1::int) n`,
    [USERS],
  );
  await sql.query('ANALYZE');
  await sql.end();
}
