import { startBaseline } from './support/baseline.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { load } from './support/load.mjs';
import { first, fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { LoadResult } from './support/load.mjs' */
/** @typedef {{ name: string, url: string, rounds: LoadResult[] }} Side */

const ROUNDS = 5;
const SECONDS = 6;
const WARM_UP_SECONDS = 4;
const CLIENTS = 64;

/**
 * A synchronous check with one rule through the gateway, beside Express + undici in front of Express.
 * @param {Children} children
 */
export async function oneCheck(children) {
  const baselineUrl = await startBaseline(children);
  const { gatewayUrl, apiKey, tokens, accounts } = await startGatehouse(children);
  const rule = {
    type: 'ERC20',
    chainId: 31337,
    contractAddress: tokens.erc20,
    minToken: '100',
    roleId: '001',
  };
  const request = {
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ account: accounts.holder.address, rules: [rule] }),
    connections: CLIENTS,
  };
  /** @type {Side[]} */
  const sides = [
    { name: 'Express + undici in front of Express', url: baselineUrl, rounds: [] },
    { name: 'Gatehouse: gateway, token-gating, chain', url: gatewayUrl, rounds: [] },
  ].map((side) => ({ ...side, url: `${side.url}/access-control/check-roles` }));

  for (const { url } of sides) await load({ ...request, url, seconds: WARM_UP_SECONDS });
  // Turn by turn, so that whatever else the machine does hits both.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { url, rounds } of sides) rounds.push(await load({ ...request, url, seconds: SECONDS }));
  }

  /** @param {Side} side */
  const perSecond = ({ rounds }) => median(rounds.map((round) => round.perSecond));
  const baseline = first(sides);
  return table(
    `One synchronous check, one rule, ${CLIENTS} clients, median of ${ROUNDS} rounds (wanted: at least 0.5)`,
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
