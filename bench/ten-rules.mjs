import { randomBytes } from 'node:crypto';
import { startGatehouse } from './support/gatehouse.mjs';
import { load } from './support/load.mjs';
import { readMetric } from './support/metrics.mjs';
import { fixed, median, table } from './support/table.mjs';

const ROUNDS = 4;
const SECONDS = 6;
const CLIENTS = 64;
const RULES = 10;

/** Ten rules and an account that nobody asked for before, beside one rule and the same account every time. */
export async function tenRules(children) {
  const { gatewayUrl, apiKey, tokens, accounts, started } = await startGatehouse(children);
  const { managementPort } = started.find(({ name }) => name === 'token-gating');
  const rule = (index) => ({
    type: 'ERC20',
    chainId: 31337,
    contractAddress: tokens.erc20,
    minToken: String(100 + index),
    roleId: String(index),
  });
  const rules = Array.from({ length: RULES }, (_, index) =>
    index % 2
      ? { ...rule(index), type: 'ERC721', contractAddress: tokens.erc721, tokenId: String(index) }
      : rule(index),
  );
  const request = {
    url: `${gatewayUrl}/access-control/check-roles`,
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    connections: CLIENTS,
    seconds: SECONDS,
  };
  const sides = [
    {
      name: '1 rule, one account',
      freshBody: () => JSON.stringify({ account: accounts.holder.address, rules: [rule(0)] }),
      rounds: [],
    },
    {
      name: `${RULES} rules, a fresh account each`,
      freshBody: () => JSON.stringify({ account: `0x${randomBytes(20).toString('hex')}`, rules }),
      rounds: [],
    },
  ];
  for (const { freshBody } of sides) await load({ ...request, freshBody });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { freshBody, rounds } of sides) {
      const before = await readMetric(managementPort, 'chain_node_calls_total');
      const result = await load({ ...request, freshBody });
      const calls = (await readMetric(managementPort, 'chain_node_calls_total')) - before;
      rounds.push({ ...result, callsPerRequest: calls / (result.perSecond * SECONDS) });
    }
  }
  const of = ({ rounds }, key) => median(rounds.map((round) => round[key]));
  const [one] = sides;
  return table(
    `${RULES} rules beside one, ${CLIENTS} clients, median of ${ROUNDS} rounds (wanted: at least 0.75, at most 0.05 calls)`,
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'eth_call a request', 'ratio'],
    sides.map((side) => [
      side.name,
      fixed(of(side, 'perSecond'), 0),
      fixed(of(side, 'p50'), 1),
      fixed(of(side, 'p99'), 1),
      fixed(of(side, 'callsPerRequest'), 3),
      fixed(of(side, 'perSecond') / of(one, 'perSecond')),
    ]),
  );
}
