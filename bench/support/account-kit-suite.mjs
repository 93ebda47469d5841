import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { demoAccounts } from '../../scripts/local/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/local/deploy-account-contracts.mjs';
import { rpc } from '../../scripts/local/json-rpc.mjs';
import { toToken } from '../../scripts/local/platforms/server.mjs';
import { startPlatforms } from '../../scripts/local/platforms/start.mjs';
import { SOLANA_CHAIN_ID, startSolanaCluster } from '../../scripts/local/solana/start-cluster.mjs';
import { freePort } from '../../scripts/local/ports.mjs';
import { startGatehouse } from './gatehouse.mjs';

export const CHAIN_ID = 31337;
const SOLANA_NETWORK = 'SOL_DEVNET';
const LAMPORTS = 1_000_000_000_000;
const CONNECTIONS = 64;
const FUNDS = `0x${(10n ** 21n).toString(16)}`;

/** The suite with account-kit on the local chains: one executor, an open policy, and the stand-in of the platforms. */
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
    solanaProcess: children.all().find(({ name }) => name === 'solana').process.pid,
    bots: createBots({ ...suite, solanaUrl }),
    /** A further client application. */
    createClient: async () => {
      const { clientId, apiKey } = await suite.createClient();
      return { clientId, bots: createBots({ ...suite, apiKey, solanaUrl }) };
    },
  };
}

/** What works for an operation, by name. */
function listProcesses(children, { started }) {
  const pidOf = (app) => started.find(({ name }) => name === app).child.process.pid;
  const postgres = children.all().find(({ name }) => name === 'postgres');
  const anvil = children.all().find(({ name }) => name === 'anvil');
  return {
    gateway: pidOf('gateway'),
    'account-kit': pidOf('account-kit'),
    PostgreSQL: postgres.process.pid,
    anvil: anvil.process.pid,
  };
}

/** Repeats a request when a limit asks for it: the tokens of all bots are checked at the platform at once. */
async function requestAgain(pool, options) {
  for (;;) {
    const response = await pool.request(options);
    if (response.statusCode !== 429) return response;
    await response.body.dump();
    await sleep(Number(response.headers['retry-after']) * 1_000);
  }
}

/** Bots of the chat platform, with a smart account each. */
function createBots({ gatewayUrl, apiKey, rpcUrl, solanaUrl }) {
  // The client does as little work as possible: it shares the cores with what is measured.
  const pool = new Pool(gatewayUrl, { connections: CONNECTIONS });
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
    return answer;
  };
  const headersOf = (token) => ({ 'x-api-key': apiKey, 'x-bot-token': token });
  return {
    headersOf,
    /** A bot whose account has coins. */
    async fund(id) {
      const token = toToken('chat', id);
      const { evm } = await call(token, '/accounts');
      const { address } = evm.find(({ chainId }) => chainId === CHAIN_ID);
      await rpc(rpcUrl, 'anvil_setBalance', [address, FUNDS]);
      return { id, token, address };
    },
    /** A bot whose account on the Solana cluster has coins. */
    async fundSolana(id) {
      const token = toToken('chat', id);
      const { solana } = await call(token, '/accounts');
      const { address } = solana.find(({ network }) => network === SOLANA_NETWORK);
      await rpc(solanaUrl, 'requestAirdrop', [address, LAMPORTS]);
      return { id, token, address };
    },
    /** @returns {Promise<string>} the hash of the user operation */
    async submit({ token }, { target, value }) {
      const path = `/evm/submitUserOperation?chainId=${CHAIN_ID}`;
      const { userOperationHash } = await call(token, path, { target, callData: '0x', value: String(value) });
      return userOperationHash;
    },
    /** @returns {Promise<string>} the signature of the transaction */
    async submitSolana({ token }, serializedTransactionBase64) {
      const path = `/solana/submitTransaction?network=${SOLANA_NETWORK}`;
      return (await call(token, path, { serializedTransactionBase64 })).txSignature;
    },
  };
}
