import { DEMO_ORIGIN } from '../scripts/demo/demo-client.mjs';
import { signInWithWallet } from '../scripts/demo/wallet-sign-in.mjs';
import { startBaseline } from './support/baseline.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { load } from './support/load.mjs';
import { first, fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { LoadResult } from './support/load.mjs' */
/** @typedef {{ name: string, url: string, rounds: LoadResult[] }} Side */

const ROUNDS = 5;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
const CLIENTS = 64;
const SCOPES = ['user:read', 'user:wallet:read'];

/**
 * What users read of themselves, beside Express with one indexed query behind Express + undici, on the same database.
 * @param {Children} children
 */
export async function accountReads(children) {
  const { gatewayUrl, apiKey, accounts, databaseUrl } = await startGatehouse(children);
  const client = { gatewayUrl, apiKey, origin: DEMO_ORIGIN, chainId: 31337 };
  const authorization = await signInWithWallet(client, accounts.holder.privateKey, SCOPES);
  const headers = { authorization };
  const me = await fetch(`${gatewayUrl}/account/me`, { headers });
  const { id } = /** @type {{ id: string }} */ (await me.json());
  const baselineUrl = await startBaseline(children, { DATABASE_URL: databaseUrl });

  /** @type {Side[]} */
  const sides = [
    { name: 'Express, one indexed query', url: `${baselineUrl}/users/${id}` },
    { name: 'GET /account/me', url: `${gatewayUrl}/account/me` },
    { name: 'GET /account/wallets', url: `${gatewayUrl}/account/wallets` },
  ].map((side) => ({ ...side, rounds: [] }));
  /** @param {Side} side @param {number} seconds */
  const round = ({ url }, seconds) => load({ url, method: 'GET', headers, connections: CLIENTS, seconds });

  for (const side of sides) await round(side, WARM_UP_SECONDS);
  for (let count = 0; count < ROUNDS; count += 1)
    for (const side of sides) side.rounds.push(await round(side, SECONDS));

  /** @param {Side} side */
  const perSecond = ({ rounds }) => median(rounds.map((one) => one.perSecond));
  const baseline = first(sides);
  return table(
    `What a user reads of themselves, ${CLIENTS} clients, median of ${ROUNDS} rounds (wanted: at least 0.4)`,
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'ratio'],
    sides.map((side) => [
      side.name,
      fixed(perSecond(side), 0),
      fixed(median(side.rounds.map(({ p50 }) => p50)), 1),
      fixed(median(side.rounds.map(({ p99 }) => p99)), 1),
      fixed(perSecond(side) / perSecond(baseline)),
    ]),
  );
}
