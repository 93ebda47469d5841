import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { rpc } from '../../scripts/chain/json-rpc.mjs';
import { toToken } from '../../scripts/demo/platforms/server.mjs';
import { startPlatforms } from '../../scripts/demo/platforms/start.mjs';
import { SOLANA_CHAIN_ID, startSolanaCluster } from '../../scripts/chain/solana/start-cluster.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { startGatehouse } from './gatehouse.mjs';
import { first } from './table.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @import { Child } from '../../scripts/processes/children.mjs' */
/** @import { Address } from 'viem' */
/** @import { Gatehouse } from './gatehouse.mjs' */
/** @typedef {Awaited<ReturnType<typeof startAccountKit>>} AccountKitSuite */
/** @typedef {ReturnType<typeof createBots>} Bots */
/** @typedef {{ id: string, token: string, address: string }} Bot */

export const CHAIN_ID = 31337;
const SOLANA_NETWORK = 'SOL_DEVNET';
const LAMPORTS = 1_000_000_000_000;
const CONNECTIONS = 64;
const FUNDS = `0x${(10n ** 21n).toString(16)}`;

/** The suite with account-kit on the local chains: one executor, an open policy, and the stand-in of the platforms. @param {Children} children */
export async function startAccountKit(children) {
  const { executor } = await demoAccounts();
  const platforms = startPlatforms({ children, port: await freePort() });
  const solanaUrl = await startSolanaCluster({ children, port: await freePort() });
  const env = {
    ...platforms,
    [`RPC_URL_${SOLANA_CHAIN_ID}`]: solanaUrl,
    ACCOUNT_KIT_CHAINS: String(CHAIN_ID),
    ACCOUNT_KEY_VAULT: 'local',
    DEFAULT_POLICY: 'open',
    EXECUTOR_KEYS: executor.privateKey,
  };
  const suite = await startGatehouse(children, env, deployAccountContracts);
  return {
    ...suite,
    solanaUrl,
    processes: listProcesses(children, suite),
    solanaProcess: pidOf(children.all().find(({ name }) => name === 'solana')),
    bots: createBots({ ...suite, solanaUrl }),
    /** A further client application. */
    createClient: async () => {
      const { clientId, apiKey } = await suite.createClient();
      return { clientId, bots: createBots({ ...suite, apiKey, solanaUrl }) };
    },
  };
}

/** @param {Child | undefined} child @returns {number} */
export function pidOf(child) {
  if (child?.process.pid === undefined) throw new Error('A process is missing');
  return child.process.pid;
}

/** What works for an operation, by name. @param {Children} children @param {Pick<Gatehouse, 'started'>} suite */
function listProcesses(children, { started }) {
  /** @param {string} app */
  const pidOfApp = (app) => pidOf(started.find(({ name }) => name === app)?.child);
  /** @param {string} program */
  const pidOfProgram = (program) => pidOf(children.all().find(({ name }) => name === program));
  return {
    gateway: pidOfApp('gateway'),
    'account-kit': pidOfApp('account-kit'),
    PostgreSQL: pidOfProgram('postgres'),
    anvil: pidOfProgram('anvil'),
  };
}

/**
 * Repeats a request when a limit asks for it: the tokens of all bots are checked at the platform at once.
 * @param {Pool} pool
 * @param {import('undici').Dispatcher.RequestOptions} options
 */
async function requestAgain(pool, options) {
  for (;;) {
    const response = await pool.request(options);
    if (response.statusCode !== 429) return response;
    await response.body.dump();
    await sleep(Number(response.headers['retry-after']) * 1_000);
  }
}

/**
 * Bots of the chat platform, with a smart account each.
 * @param {{ gatewayUrl: string, apiKey: string, rpcUrl: string, solanaUrl: string }} options
 */
function createBots({ gatewayUrl, apiKey, rpcUrl, solanaUrl }) {
  // The client does as little work as possible: it shares the cores with what is measured.
  const pool = new Pool(gatewayUrl, { connections: CONNECTIONS });
  /**
   * @template T
   * @param {string} token
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<T>}
   */
  const call = async (token, path, body) => {
    const response = await requestAgain(pool, {
      path: `/accountkit/v1/chatbot${path}`,
      method: body ? 'POST' : 'GET',
      headers: { ...headersOf(token), ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    const answer = await response.body.json();
    if (response.statusCode !== 200)
      throw new Error(`${path}: ${response.statusCode} ${JSON.stringify(answer)}`);
    return /** @type {T} */ (answer);
  };
  /** @param {string} token */
  const headersOf = (token) => ({ 'x-api-key': apiKey, 'x-bot-token': token });
  return {
    headersOf,
    /** A bot whose account has coins. @param {string} id @returns {Promise<Bot>} */
    async fund(id) {
      const token = toToken('chat', id);
      /** @type {{ evm: { chainId: number, address: string }[] }} */
      const { evm } = await call(token, '/accounts');
      const { address } = first(evm.filter(({ chainId }) => chainId === CHAIN_ID));
      await rpc(rpcUrl, 'anvil_setBalance', [address, FUNDS]);
      return { id, token, address };
    },
    /** A bot whose account on the Solana cluster has coins. @param {string} id @returns {Promise<Bot>} */
    async fundSolana(id) {
      const token = toToken('chat', id);
      /** @type {{ solana: { network: string, address: string }[] }} */
      const { solana } = await call(token, '/accounts');
      const { address } = first(solana.filter(({ network }) => network === SOLANA_NETWORK));
      await rpc(solanaUrl, 'requestAirdrop', [address, LAMPORTS]);
      return { id, token, address };
    },
    /**
     * @param {Bot} bot
     * @param {{ target: Address, value: bigint }} payment
     * @returns {Promise<string>} the hash of the user operation
     */
    async submit({ token }, { target, value }) {
      const path = `/evm/submitUserOperation?chainId=${CHAIN_ID}`;
      /** @type {{ userOperationHash: string }} */
      const { userOperationHash } = await call(token, path, { target, callData: '0x', value: String(value) });
      return userOperationHash;
    },
    /**
     * @param {Bot} bot
     * @param {string} serializedTransactionBase64
     * @returns {Promise<string>} the signature of the transaction
     */
    async submitSolana({ token }, serializedTransactionBase64) {
      const path = `/solana/submitTransaction?network=${SOLANA_NETWORK}`;
      /** @type {{ txSignature: string }} */
      const { txSignature } = await call(token, path, { serializedTransactionBase64 });
      return txSignature;
    },
  };
}
