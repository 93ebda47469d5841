import { startBaseline } from '../support/baseline.mjs';
import { load } from '../support/load.mjs';
import { fixed, median, table } from '../support/table.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @import { AccountKitSuite } from '../support/account-kit-suite.mjs' */
/** @import { LoadResult } from '../support/load.mjs' */
/** @typedef {{ name: string, url: string, rounds: LoadResult[] }} Side */

const ROUNDS = 5;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
const CLIENTS = 64;

/**
 * A bot's addresses, beside Express with one indexed query behind Express + undici, on the same database.
 * @param {Children} children
 * @param {AccountKitSuite} suite
 */
export async function addressLookUp(children, { gatewayUrl, databaseUrl, bots }) {
  const bot = await bots.fund('8001');
  const headers = bots.headersOf(bot.token);
  const baselineUrl = await startBaseline(children, { DATABASE_URL: databaseUrl });
  /** @type {[Side, Side]} */
  const sides = [
    { name: 'Express, one indexed query', url: `${baselineUrl}/smart-accounts/chat/${bot.id}`, rounds: [] },
    {
      name: 'GET /accountkit/v1/chatbot/accounts',
      url: `${gatewayUrl}/accountkit/v1/chatbot/accounts`,
      rounds: [],
    },
  ];
  /** @param {Side} side @param {number} seconds */
  const round = ({ url }, seconds) => load({ url, method: 'GET', headers, connections: CLIENTS, seconds });

  for (const side of sides) await round(side, WARM_UP_SECONDS);
  for (let count = 0; count < ROUNDS; count += 1)
    for (const side of sides) side.rounds.push(await round(side, SECONDS));

  /** @param {Side} side */
  const perSecond = ({ rounds }) => median(rounds.map((one) => one.perSecond));
  const [baseline] = sides;
  return table(
    `The addresses of a bot, ${CLIENTS} clients, median of ${ROUNDS} rounds (wanted: at least 0.4)`,
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
