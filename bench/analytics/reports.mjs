import { startBaseline } from '../support/baseline.mjs';
import { load } from '../support/load.mjs';
import { fixed, median, table } from '../support/table.mjs';
import { fillCommunity, ROLE_IDS } from './fill-community.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @import { Gatehouse } from '../support/gatehouse.mjs' */
/** @import { LoadResult } from '../support/load.mjs' */
/** @import { Pool } from 'pg' */
/** @typedef {{ name: string, method: 'GET' | 'POST', body?: string }} Report how it is asked for */
/** @typedef {Report & { url: string, bytes: number, rounds: LoadResult[] }} Side */

const ROUNDS = 3;
const SECONDS = 4;
const WARM_UP_SECONDS = 3;
const CLIENTS = 64;
const BY_DAY = 'range=1y&interval=day';
const ACTIVE_MEMBERS = 50;
/** A database holds more communities than one, and both sides find its rows by an index. */
const NEIGHBOURS = 20;

const filters = ROLE_IDS.map((id, index) => ({ id, name: id, color: index }));

/** @type {Report[]} of a year by day */
export const REPORTS = [
  { name: 'wallet-connections', method: 'GET' },
  { name: 'roles-added', method: 'POST', body: JSON.stringify(filters) },
  { name: 'user-interactions', method: 'GET' },
];

/** @param {string} gatewayUrl @param {string} communityId @param {{ name: string }} report */
export const urlOf = (gatewayUrl, communityId, { name }) =>
  `${gatewayUrl}/analytics/${communityId}/${name}?${BY_DAY}`;

/** Ready rows are the very rows that Gatehouse answers, so that both sides send the same body. */
const READY_ROWS = `
  CREATE SCHEMA IF NOT EXISTS bench;
  CREATE TABLE bench.wallet_rows (
    community_id text, date text, connected int, disconnected int, total int, PRIMARY KEY (community_id, date)
  );
  CREATE TABLE bench.role_rows (community_id text, date text, total int, roles json, PRIMARY KEY (community_id, date));
  CREATE TABLE bench.interaction_rows (
    community_id text, date text, users int, interactions int, kinds json, PRIMARY KEY (community_id, date)
  )`;

/** @type {Record<string, string>} */
const READY_TABLES = {
  'wallet-connections': 'wallet_rows',
  'roles-added': 'role_rows',
  'user-interactions': 'interaction_rows',
};

/**
 * Reports through the gateway, beside Express that reads ready rows behind Express + undici, on the same database.
 * @param {{ children: Children, gatehouse: Gatehouse, client: { apiKey: string, clientId: string }, sql: Pool }} options
 */
export async function measureReports({ children, gatehouse, client, sql }) {
  const { gatewayUrl, databaseUrl } = gatehouse;
  const { apiKey, clientId } = client;
  const id = 'community_reports';
  await fillCommunity(sql, { id, clientId, events: 1_000_000, activeMembers: ACTIVE_MEMBERS });
  for (let count = 0; count < NEIGHBOURS; count += 1)
    await fillCommunity(sql, {
      id: `neighbour_${count}`,
      clientId,
      events: 10_000,
      activeMembers: ACTIVE_MEMBERS,
    });
  await sql.query(READY_ROWS);
  await sql.query('ANALYZE');
  const baselineUrl = await startBaseline(children, { DATABASE_URL: databaseUrl });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };

  /** @type {Side[]} */
  const sides = [];
  for (const report of REPORTS) {
    const { name, method, body } = report;
    const url = urlOf(gatewayUrl, id, report);
    const response = await fetch(url, { method, body, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
    const ready = READY_TABLES[name] ?? '';
    await sql.query(
      `INSERT INTO bench.${ready} SELECT (jsonb_populate_record(null::bench.${ready}, row || jsonb_build_object('community_id', $2::text))).*
       FROM jsonb_array_elements($1::jsonb) AS row`,
      [text, id],
    );
    await sql.query(
      `INSERT INTO bench.${ready} SELECT (jsonb_populate_record(ready, jsonb_build_object('community_id', 'neighbour_' || n))).*
       FROM bench.${ready} AS ready, generate_series(1, $1::int) AS n`,
      [NEIGHBOURS],
    );
    await sql.query('VACUUM ANALYZE');
    const baseline = { name: `Express, ready rows of ${name}`, url: `${baselineUrl}/ready/${ready}/${id}` };
    const other = await (await fetch(baseline.url)).text();
    sides.push({ ...baseline, method: 'GET', bytes: other.length, rounds: [] });
    sides.push({ name, url, method, body, bytes: text.length, rounds: [] });
  }
  /** @param {Side} side @param {number} seconds */
  const round = ({ url, method, body }, seconds) =>
    load({ url, method, body, headers, connections: CLIENTS, seconds });
  for (const side of sides) await round(side, WARM_UP_SECONDS);
  for (let count = 0; count < ROUNDS; count += 1)
    for (const side of sides) side.rounds.push(await round(side, SECONDS));

  /** @param {Pick<Side, 'rounds'>} side */
  const perSecond = ({ rounds }) => median(rounds.map((one) => one.perSecond));
  return table(
    `Reports of a year by day, ${CLIENTS} clients, median of ${ROUNDS} rounds (wanted: at least 0.4, without a mark for user-interactions)`,
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'bytes', 'ratio'],
    sides.map((side, index) => [
      side.name,
      fixed(perSecond(side), 0),
      fixed(median(side.rounds.map(({ p50 }) => p50)), 1),
      fixed(median(side.rounds.map(({ p99 }) => p99)), 1),
      side.bytes,
      fixed(perSecond(side) / perSecond(sides[index - (index % 2)] ?? side)),
    ]),
  );
}
