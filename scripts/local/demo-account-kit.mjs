import { rpc } from './json-rpc.mjs';

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
  const { evm, solana } = await call(demo, '/accounts');
  const botAccount = evm.find((account) => account.chainId === chainId).address;
  if (BigInt(await rpc(rpcUrl, 'eth_getBalance', [botAccount, 'latest'])) === 0n)
    await rpc(rpcUrl, 'anvil_setBalance', [botAccount, BALANCE]);
  const operation = { target: holder.address, callData: '0x', value: '1' };
  const { userOperationHash } = await call(demo, `/evm/submitUserOperation?chainId=${chainId}`, operation);
  const query = new URLSearchParams({ chainId, userOperationHash });
  const receipt = await call(demo, `/evm/userOperationReceipt?${query}`);
  if (receipt.success !== true) throw new Error(`The demo bot's payment is ${receipt.state}`);
  const botSolanaAccount = solana.find(({ network }) => network === 'SOL_DEVNET').address;
  // Another cluster than the local one may refuse airdrops.
  const isLocal = !process.env[`RPC_URL_${demo.solana.chainId}`];
  const payment = isLocal ? await paySolana(demo, botSolanaAccount) : {};
  return { botAccount, botSolanaAccount, userOperationHash, ...payment };
}

/**
 * The first payment of the demo bot's Solana account. The explorer's example submits the same bytes again, which gets the same
 * answer, also when its blockhash is too old for another transaction.
 * @typedef {{ solanaTransaction: string, solanaSignature: string }} SolanaPayment
 * @returns {Promise<SolanaPayment>}
 */
async function paySolana(demo, account) {
  const { rpcUrl, holder } = demo.solana;
  const { value: lamports } = await rpc(rpcUrl, 'getBalance', [account]);
  if (lamports === 0) await rpc(rpcUrl, 'requestAirdrop', [account, LAMPORTS]);
  const { value: lifetime } = await rpc(rpcUrl, 'getLatestBlockhash', []);
  const { createSolanaPayment } = await import('./solana/create-payment.mjs');
  const solanaTransaction = createSolanaPayment({ from: account, to: holder.address, lifetime });
  const body = { serializedTransactionBase64: solanaTransaction };
  const { txSignature } = await call(demo, '/solana/submitTransaction?network=SOL_DEVNET', body);
  return { solanaTransaction, solanaSignature: txSignature };
}

async function call({ gatewayUrl, apiKey, accountKit }, path, body = undefined) {
  const response = await fetch(`${gatewayUrl}/accountkit/v1/chatbot${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'X-API-Key': apiKey,
      'X-BOT-TOKEN': accountKit.botToken,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The demo bot got ${response.status} for ${path}: ${text}`);
  return JSON.parse(text);
}
