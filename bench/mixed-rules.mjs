import pg from 'pg';
import { findApp } from '../scripts/suite/apps.mjs';
import { DEMO_ORIGIN } from '../scripts/demo/demo-client.mjs';
import { deployRuleTypeDemo } from '../scripts/demo/demo-rule-types.mjs';
import { root } from '../scripts/build/project.mjs';
import { createDemoSigner } from '../scripts/chain/solana/demo-accounts.mjs';
import { signInWithWallet } from '../scripts/demo/wallet-sign-in.mjs';
import { startService } from './support/baseline.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { load } from './support/load.mjs';
import { readMetric } from './support/metrics.mjs';
import { first, fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Gatehouse } from './support/gatehouse.mjs' */
/** @import { LoadResult } from './support/load.mjs' */
/** @typedef {LoadResult & { cpuMs: number }} Round */
/** @typedef {{ name: string, rules: object[], rounds: Round[] }} Side */

const ROUNDS = 5;
const SECONDS = 6;
const WARM_UP_SECONDS = 4;
const CLIENTS = 16;
const RULES = 10;
const CHAIN_ID = 31337;
const DEVNET = 8_000_000_000_103;
const DEVNET_REFERENCE = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const NODE_MS = 5;

/**
 * Ten rules over two chain families and a POAP, beside ten EVM rules, for a user with a wallet on each. No answer is kept.
 * @param {Children} children
 */
export async function mixedRules(children) {
  const { url: nodeUrl } = await startService(children, 'solana-node', { NODE_MS: String(NODE_MS) });
  const env = { [`RPC_URL_${DEVNET}`]: nodeUrl, RPC_CACHE: 'off' };
  const gatehouse = await startGatehouse(children, env);
  const { gatewayUrl, apiKey, rpcUrl, tokens, accounts, started } = gatehouse;
  const { managementPort } = findApp(started, 'token-gating');
  const { poapEvent } = await deployRuleTypeDemo({ rpcUrl, root, accounts, erc20: tokens.erc20 });
  const account = await createUser(gatehouse);
  const evm = Array.from({ length: RULES }, (_, index) => createEvmRule(tokens, index));
  const poap = { type: 'POAP', chainId: CHAIN_ID, eventId: poapEvent, minToken: '1', roleId: 'poap' };
  const solana = await Promise.all(Array.from({ length: 4 }, (_, index) => createSolanaRule(index)));
  /** @type {Side[]} */
  const sides = [
    { name: `${RULES} EVM rules`, rules: evm, rounds: [] },
    { name: '5 EVM rules, 4 of Solana, 1 POAP', rules: [...evm.slice(0, 5), ...solana, poap], rounds: [] },
  ];
  /** @param {Pick<Side, 'rules'>} side @param {number} seconds */
  const run = async ({ rules }, seconds) => {
    const readCounters = () =>
      Promise.all(
        ['process_cpu_seconds_total', 'token_gating_checks_total'].map((name) =>
          readMetric(managementPort, name),
        ),
      );
    const [cpuBefore = NaN, checksBefore = NaN] = await readCounters();
    const result = await load({
      url: `${gatewayUrl}/access-control/check-roles`,
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ account, rules }),
      connections: CLIENTS,
      seconds,
    });
    const [cpu = NaN, checks = NaN] = await readCounters();
    return { ...result, cpuMs: ((cpu - cpuBefore) * 1_000) / (checks - checksBefore) };
  };
  for (const side of sides) await run(side, WARM_UP_SECONDS);
  // Turn by turn, so that whatever else the machine does hits both.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const side of sides) side.rounds.push(await run(side, SECONDS));
  await gatehouse.stop();
  return toTable(sides);
}

/**
 * Signs in with a wallet, and gives the user a wallet on Solana.
 * @param {Gatehouse} options
 * @returns {Promise<string>} the user's id
 */
async function createUser({ gatewayUrl, apiKey, accounts, databaseUrl }) {
  const client = { gatewayUrl, apiKey, origin: DEMO_ORIGIN, chainId: CHAIN_ID };
  const authorization = await signInWithWallet(client, accounts.holder.privateKey, [
    'user:read',
    'user:wallet:read',
  ]);
  const me = await fetch(`${gatewayUrl}/account/me`, { headers: { authorization } });
  const { id } = /** @type {{ id: string }} */ (await me.json());
  const { address } = await createDemoSigner('holder');
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  await sql.query(
    `INSERT INTO identity.wallet_connections
       (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id)
     VALUES ('wallet_bench', $1, $2::text, $2::text, $3 || ':' || $2::text, 'solana', 'solana', $4)`,
    [id, address, `solana:${DEVNET_REFERENCE}`, String(DEVNET)],
  );
  await sql.end();
  return id;
}

/** @param {Gatehouse['tokens']} options @param {number} index */
function createEvmRule({ erc20, erc721 }, index) {
  const rule = { chainId: CHAIN_ID, roleId: `evm_${index}` };
  return index % 2
    ? { ...rule, type: 'ERC721', contractAddress: erc721, tokenId: String(index) }
    : { ...rule, type: 'ERC20', contractAddress: erc20, minToken: String(100 + index) };
}

/** @param {number} index */
async function createSolanaRule(index) {
  const { address } = await createDemoSigner(`mint ${index}`);
  const rule = { type: 'SOLANA_FT', chainId: DEVNET, contractAddress: address, minToken: '1' };
  return { ...rule, roleId: `solana_${index}` };
}

/** @param {Side[]} sides */
function toTable(sides) {
  /** @param {Side} side @param {keyof Round} key */
  const of = ({ rounds }, key) => median(rounds.map((round) => round[key]));
  const evm = first(sides);
  return table(
    `${RULES} rules for a user with an EVM and a Solana wallet, ${CLIENTS} clients, median of ${ROUNDS} rounds (wanted: ratio at most 1.5)`,
    ['', 'requests/s', 'p50 ms', 'CPU of token-gating a check, ms', 'ratio'],
    sides.map((side) => [
      side.name,
      fixed(of(side, 'perSecond'), 0),
      fixed(of(side, 'p50'), 1),
      fixed(of(side, 'cpuMs')),
      fixed(of(side, 'cpuMs') / of(evm, 'cpuMs')),
    ]),
  );
}
