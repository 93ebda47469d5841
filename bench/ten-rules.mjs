import { findApp } from '../scripts/suite/apps.mjs';
import { rpc } from '../scripts/chain/json-rpc.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { load } from './support/load.mjs';
import { readMetric } from './support/metrics.mjs';
import { startService } from './support/baseline.mjs';
import { freshAccounts } from './support/fresh-accounts.mjs';
import { measureSides, processorTime, sidesTable } from './support/sides.mjs';
import { first, fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Gatehouse } from './support/gatehouse.mjs' */
/** @import { LoadResult } from './support/load.mjs' */
/** @typedef {keyof typeof counters} Counter */
/** @typedef {LoadResult & { calls: number, asked: number, hits: number, shared: number }} Round */
/** @typedef {{ name: string, freshBody: () => string, rounds: Round[] }} Side */

const ROUNDS = 3;
const SECONDS = 6;
const CLIENTS = 64;
const RULES = 10;
/** The most that a check may have. */
const MOST_RULES = 500;
const CHAIN_ID = 31337;
const BLOCK_TIME_MS = 2_000;

/** @type {{ chain: string, env: Record<string, string>, blockTimeMs?: number }[]} */
const kinds = [
  { chain: 'a chain whose answers are not kept', env: {} },
  {
    chain: `a chain with a block every ${BLOCK_TIME_MS / 1_000} s`,
    blockTimeMs: BLOCK_TIME_MS,
    // The local chain is read as a public one is, and makes blocks like one.
    env: { LOCAL_CHAIN_ID: '1', CHAINS: JSON.stringify([{ id: CHAIN_ID, blockTime: BLOCK_TIME_MS }]) },
  },
];

/** What became of the reads that checks asked for. */
const counters = {
  checks: 'token_gating_checks_total',
  calls: 'chain_node_calls_total',
  asked: 'token_gating_check_reads_sum',
  hits: 'chain_cache_hits_total',
  batched: 'chain_batch_reads_sum',
};

/**
 * Ten rules, with an account that nobody asked for before, one that names another chain, and one for everybody, beside one rule;
 * and five hundred rules, each on a contract of its own.
 * @param {Children} children
 */
export async function tenRules(children) {
  /** @type {string[]} */
  const tables = [];
  for (const { chain, env, blockTimeMs = 0 } of kinds) {
    const gatehouse = await startGatehouse(children, env);
    const stopBlocks = makeBlocks(gatehouse.rpcUrl, blockTimeMs);
    tables.push(tableOf(chain, await measure(gatehouse)));
    await stopBlocks();
    await gatehouse.stop();
  }
  return [...tables, await manyContracts(children)].join('\n\n');
}

/**
 * Checks with as many rules as one may have, on few contracts and on one for each rule, over a node that answers at once.
 * @param {Children} children
 */
async function manyContracts(children) {
  const node = await startService(children, 'instant-node', {});
  const gatehouse = await startGatehouse(children, { [`RPC_URL_${CHAIN_ID}`]: node.url });
  const nextAccount = freshAccounts();
  const sides = [10, MOST_RULES].map((contracts) => {
    const rules = Array.from({ length: MOST_RULES }, (_, index) => ({
      type: 'ERC20',
      chainId: CHAIN_ID,
      contractAddress: `0x${((index % contracts) + 1).toString(16).padStart(40, '0')}`,
      minToken: '100',
      roleId: String(index),
    }));
    return {
      name: `${MOST_RULES} rules on ${contracts} contracts`,
      request: {
        url: `${gatehouse.gatewayUrl}/access-control/check-roles`,
        headers: { 'content-type': 'application/json', 'x-api-key': gatehouse.apiKey },
        freshBody: () => JSON.stringify({ account: nextAccount(), rules }),
        connections: 8,
      },
      processes: gatehouse.processes(['token-gating']),
    };
  });
  const measured = await measureSides(sides, { rounds: ROUNDS, seconds: SECONDS, warmUpSeconds: SECONDS });
  await gatehouse.stop();
  const perRule = measured.map((side) => fixed((processorTime(side) * 1_000) / MOST_RULES, 1));
  return sidesTable(
    `${MOST_RULES} rules a check, 8 clients: ${perRule.join(' and ')} µs of token-gating a rule (wanted: at most 15)`,
    measured,
  );
}

/**
 * @param {string} rpcUrl
 * @param {number} everyMs 0 for none
 * @returns {() => Promise<void>} ends it; rejects when a block could not be made
 */
function makeBlocks(rpcUrl, everyMs) {
  /** @type {Promise<unknown>} */
  let made = Promise.resolve();
  const make = () => (made = made.then(() => rpc(rpcUrl, 'evm_mine', [])));
  /** @type {NodeJS.Timeout | undefined} */
  const timer =
    everyMs > 0
      ? setInterval(() => {
          make().catch(() => {
            clearInterval(timer);
          });
        }, everyMs)
      : undefined;
  return async () => {
    clearInterval(timer);
    await made;
  };
}

/** @param {Gatehouse} options */
async function measure({ gatewayUrl, apiKey, started, tokens, accounts }) {
  const { managementPort } = findApp(started, 'token-gating');
  const request = {
    url: `${gatewayUrl}/access-control/check-roles`,
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    connections: CLIENTS,
    seconds: SECONDS,
  };
  const sides = sidesOf(tokens, accounts.holder.address);
  for (const { freshBody } of sides) await load({ ...request, freshBody });
  for (let round = 0; round < ROUNDS; round += 1) {
    // Turn by turn, so that whatever else the machine does hits all.
    for (const { freshBody, rounds } of sides) {
      const before = await readCounters(managementPort);
      const result = await load({ ...request, freshBody });
      const after = await readCounters(managementPort);
      /** @param {Counter} key */
      const perCheck = (key) => (after[key] - before[key]) / (after.checks - before.checks);
      const [calls, asked, hits, batched] = [
        perCheck('calls'),
        perCheck('asked'),
        perCheck('hits'),
        perCheck('batched'),
      ];
      // What is in no batch and was not in memory came with somebody else's read of the same moment.
      rounds.push({ ...result, calls, asked, hits, shared: asked - hits - batched });
    }
  }
  return sides;
}

/** @param {Gatehouse['tokens']} tokens @param {string} holder */
function sidesOf(tokens, holder) {
  /** @param {number} index */
  const rule = (index) => ({
    type: 'ERC20',
    chainId: CHAIN_ID,
    contractAddress: tokens.erc20,
    minToken: String(100 + index),
    roleId: String(index),
  });
  const rules = Array.from({ length: RULES }, (_, index) =>
    index % 2
      ? { ...rule(index), type: 'ERC721', contractAddress: tokens.erc721, tokenId: String(index) }
      : rule(index),
  );
  const fresh = freshAccounts();
  /** @param {string} name @param {() => string} freshBody @returns {Side} */
  const side = (name, freshBody) => ({ name, freshBody, rounds: [] });
  return [
    side('1 rule, a fresh account each', () => JSON.stringify({ account: fresh(), rules: [rule(0)] })),
    side(`${RULES} rules, a fresh account each`, () => JSON.stringify({ account: fresh(), rules })),
    // A contract counts on chain 1 only, so the code of the account is read beside its holdings.
    side(`${RULES} rules, a fresh account of chain 1 each`, () =>
      JSON.stringify({ account: `eip155:1:${fresh()}`, rules }),
    ),
    side(`${RULES} rules, one account`, () => JSON.stringify({ account: holder, rules })),
  ];
}

/** @param {number} managementPort @returns {Promise<Record<Counter, number>>} */
async function readCounters(managementPort) {
  const found = { checks: 0, calls: 0, asked: 0, hits: 0, batched: 0 };
  const keys = /** @type {Counter[]} */ (Object.keys(counters));
  await Promise.all(
    keys.map(async (key) => {
      found[key] = await readMetric(managementPort, counters[key]);
    }),
  );
  return found;
}

/** @param {string} chain @param {Side[]} sides */
function tableOf(chain, sides) {
  /** @param {Side} side @param {keyof Round} key */
  const of = ({ rounds }, key) => median(rounds.map((round) => round[key]));
  const one = first(sides);
  return table(
    `${RULES} rules beside one on ${chain}, ${CLIENTS} clients, median of ${ROUNDS} rounds (wanted where nothing is kept: at least 0.8, at most 0.05 calls)`,
    [
      '',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'eth_call a request',
      'reads',
      'from memory',
      'shared with others',
      'ratio',
    ],
    sides.map((side) => [
      side.name,
      fixed(of(side, 'perSecond'), 0),
      fixed(of(side, 'p50'), 1),
      fixed(of(side, 'p99'), 1),
      fixed(of(side, 'calls'), 3),
      fixed(of(side, 'asked'), 1),
      fixed(of(side, 'hits'), 2),
      fixed(of(side, 'shared'), 2),
      fixed(of(side, 'perSecond') / of(one, 'perSecond')),
    ]),
  );
}
