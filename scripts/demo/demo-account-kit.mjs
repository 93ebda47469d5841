import { rpc } from '../chain/json-rpc.mjs';

/** @import { Demo } from './demo-client.mjs' */
/** @import { Lifetime } from '../chain/solana/create-payment.mjs' */
/** @typedef {{ address: string, chainId?: number, network?: string }} BotAccount */

const BALANCE = `0x${(10n ** 19n).toString(16)}`;
const LAMPORTS = 10_000_000_000;

/**
 * Gives the demo bot's smart account coins of the local chain, with which it pays for its operations, and makes its first
 * payment, which deploys the account. Its Solana account gets coins of the local cluster and makes a payment, too.
 * @param {import('./demo-client.mjs').Demo} demo
 * @returns {Promise<{ botAccount: string, botSolanaAccount: string, userOperationHash: string } & Partial<SolanaPayment>>}
 */
export async function startDemoBot(demo) {
  const { rpcUrl, chainId, holder } = demo;
  /** @type {{ evm: BotAccount[], solana: BotAccount[] }} */
  const { evm, solana } = await call(demo, '/accounts');
  const botAccount = addressIn(evm, (account) => account.chainId === chainId);
  if (BigInt(await rpc(rpcUrl, 'eth_getBalance', [botAccount, 'latest'])) === 0n)
    await rpc(rpcUrl, 'anvil_setBalance', [botAccount, BALANCE]);
  const operation = { target: holder.address, callData: '0x', value: '1' };
  /** @type {{ userOperationHash: string }} */
  const { userOperationHash } = await call(demo, `/evm/submitUserOperation?chainId=${chainId}`, operation);
  const query = new URLSearchParams({ chainId: String(chainId), userOperationHash });
  /** @type {{ success?: boolean, state: string }} */
  const receipt = await call(demo, `/evm/userOperationReceipt?${query.toString()}`);
  if (receipt.success !== true) throw new Error(`The demo bot's payment is ${receipt.state}`);
  const botSolanaAccount = addressIn(solana, ({ network }) => network === 'SOL_DEVNET');
  // Another cluster than the local one may refuse airdrops.
  const isLocal = !process.env[`RPC_URL_${demo.solana.chainId}`];
  const payment = isLocal ? await paySolana(demo, botSolanaAccount) : {};
  return { botAccount, botSolanaAccount, userOperationHash, ...payment };
}

/** @param {BotAccount[]} accounts @param {(account: BotAccount) => boolean} isWanted */
function addressIn(accounts, isWanted) {
  const found = accounts.find(isWanted);
  if (found === undefined) throw new Error('The demo bot has no account on the local chain');
  return found.address;
}

/** @typedef {{ solanaTransaction: string, solanaSignature: string }} SolanaPayment */

/**
 * The first payment of the demo bot's Solana account. The explorer's example submits the same bytes again, which gets the same
 * answer, also when its blockhash is too old for another transaction.
 * @param {Demo} demo
 * @param {string} account
 * @returns {Promise<SolanaPayment>}
 */
async function paySolana(demo, account) {
  const { rpcUrl, holder } = demo.solana;
  /** @type {{ value: number }} */
  const { value: lamports } = await rpc(rpcUrl, 'getBalance', [account]);
  if (lamports === 0) await rpc(rpcUrl, 'requestAirdrop', [account, LAMPORTS]);
  /** @type {{ value: Lifetime }} */
  const { value: lifetime } = await rpc(rpcUrl, 'getLatestBlockhash', []);
  const { createSolanaPayment } = await import('../chain/solana/create-payment.mjs');
  const solanaTransaction = createSolanaPayment({ from: account, to: holder.address, lifetime });
  const body = { serializedTransactionBase64: solanaTransaction };
  /** @type {{ txSignature: string }} */
  const { txSignature } = await call(demo, '/solana/submitTransaction?network=SOL_DEVNET', body);
  return { solanaTransaction, solanaSignature: txSignature };
}

/**
 * @template T
 * @param {Demo} demo
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<T>}
 */
async function call({ gatewayUrl, apiKey, accountKit }, path, body) {
  const response = await fetch(`${gatewayUrl}/accountkit/v1/chatbot${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'X-API-Key': apiKey,
      'X-BOT-TOKEN': accountKit.botToken,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The demo bot got ${response.status} for ${path}: ${text}`);
  return /** @type {T} */ (JSON.parse(text));
}
