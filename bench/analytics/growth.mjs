import { load } from '../support/load.mjs';
import { fixed, median, table } from '../support/table.mjs';
import { fillCommunity } from './fill-community.mjs';
import { REPORTS, urlOf } from './reports.mjs';

/** @import { Gatehouse } from '../support/gatehouse.mjs' */
/** @import { LoadResult } from '../support/load.mjs' */
/** @import { Report } from './reports.mjs' */
/** @import { Pool } from 'pg' */
/** @typedef {Report & { rounds: LoadResult[][] }} Measured the rounds of each community */

const ROUNDS = 5;
const SECONDS = 1;
const WARM_UP_SECONDS = 1;
/** Clients at a time: few, because the time of one request is what is measured. */
const CLIENTS = 2;
const SIZES = [10_000, 10_000_000];
const ACTIVE_MEMBERS = 25;

/**
 * The same reports of two communities that differ in their events only; `withEvents`: raw events are stored, too.
 * @param {{ gatehouse: Gatehouse, client: { apiKey: string, clientId: string }, sql: Pool, withEvents: boolean }} options
 */
export async function measureGrowth({ gatehouse, client, sql, withEvents }) {
  const headers = { 'x-api-key': client.apiKey, 'content-type': 'application/json' };
  const communities = SIZES.map((events) => ({ id: `community_${events}`, events }));
  for (const community of communities)
    await fillCommunity(sql, {
      ...community,
      clientId: client.clientId,
      activeMembers: ACTIVE_MEMBERS,
      withEvents,
    });
  await sql.query('VACUUM ANALYZE');

  /** @type {Report[]} */
  const all = [...REPORTS, { name: 'role-distribution', method: 'POST', body: '[]' }];
  /** @type {Measured[]} */
  const reports = all.map((report) => ({
    ...report,
    rounds: communities.map(() => []),
  }));
  /** @param {Report} report @param {{ id: string }} community @param {number} seconds */
  const round = ({ method, body, ...report }, { id }, seconds) => {
    const url = urlOf(gatehouse.gatewayUrl, id, report);
    return load({ url, method, body, headers, connections: CLIENTS, seconds });
  };
  for (const report of reports)
    for (const community of communities) await round(report, community, WARM_UP_SECONDS);
  for (let count = 0; count < ROUNDS; count += 1)
    for (const report of reports)
      for (const [index, community] of communities.entries())
        report.rounds[index]?.push(await round(report, community, SECONDS));

  /** @param {Measured} report */
  const costs = ({ rounds }) =>
    rounds.map((some) => median(some.map(({ perSecond }) => (1_000 * CLIENTS) / perSecond)));
  return table(
    `A year by day of ${SIZES[0]} and of ${SIZES[1]} events, ${withEvents ? 'all stored' : 'of which the numbers are stored'}, median of ${ROUNDS} rounds (wanted: at most 1.3)`,
    ['', `ms of ${SIZES[0]}`, `ms of ${SIZES[1]}`, 'ratio'],
    reports.map((report) => {
      const [small = NaN, large = NaN] = costs(report);
      return [report.name, fixed(small), fixed(large), fixed(large / small)];
    }),
  );
}
