// A chat bot with accounts: their addresses, a payment, a token of its own, a payment on Solana.
// With `npm start` running: node docs/examples/chat-bot.mjs
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Connection, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';

const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);
const { chainId, holder } = demo;
const headers = { 'X-API-Key': demo.apiKey, 'X-BOT-TOKEN': demo.accountKit.botToken };

/**
 * @template T
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 * @param {Record<string, string>} [more] headers
 * @returns {Promise<T>}
 */
async function call(method, path, body, more = {}) {
  const response = await fetch(`${demo.gatewayUrl}/accountkit/v1/chatbot${path}`, {
    method,
    headers: { ...headers, ...more, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return /** @type {T} */ (JSON.parse(text));
}

/**
 * Asks until the operation is included or has failed. The service waits up to ten seconds for each answer.
 * @param {string} userOperationHash
 */
async function waitForReceipt(userOperationHash) {
  for (;;) {
    const path = `/evm/userOperationReceipt?chainId=${chainId}&userOperationHash=${userOperationHash}`;
    /** @type {{ success?: boolean, receipt?: { transactionHash: string } }} */
    const receipt = await call('GET', path);
    if (receipt.success !== undefined) return receipt;
  }
}

// 1. The bot's accounts. They are known before they are deployed, so they can be paid at once.
/** @type {{ evm: { chainId: number, address: string }[], solana: { network: string, address: string }[] }} */
const { evm, solana } = await call('GET', '/accounts');
console.log('Smart account:', evm.find((account) => account.chainId === chainId)?.address);

// 2. A payment. The first operation of an account deploys it. The idempotency key makes retries safe.
/** @type {{ userOperationHash: string }} */
const payment = await call(
  'POST',
  `/evm/submitUserOperation?chainId=${chainId}`,
  { target: holder.address, callData: '0x', value: '1' },
  { 'Idempotency-Key': randomUUID() },
);
const paid = await waitForReceipt(payment.userOperationHash);
console.log('Payment:', paid.success, 'in transaction', paid.receipt?.transactionHash);

// 3. A token of its own: 1,000,000,000 of them, all in the bot's account.
/** @type {{ response: { userOperationHash: string, contract: { fungible: { address: string } } } }} */
const { response: mint } = await call('POST', `/evm/mint?chainId=${chainId}`, {
  name: 'Bot Coin',
  symbol: 'BOT',
  metadata: { description: 'Made by the demo bot' },
});
const minted = await waitForReceipt(mint.userOperationHash);
console.log('Token:', minted.success, mint.contract.fungible.address);

// 4. A payment on Solana. A sponsor pays the fee if the deployment has one, else the bot's account. The service signs the transaction
// as it is, and sends it until it is final.
const network = 'SOL_DEVNET';
const payer = new PublicKey(solana.find((account) => account.network === network)?.address ?? '');
const receiver = new PublicKey(demo.solana.holder.address);
const response = await fetch(`${demo.gatewayUrl}/accountkit/v2/solana/sponsors`, { headers });
const { items: sponsors } = /** @type {{ items: { network: string, address: string }[] }} */ (
  await response.json()
);
const sponsor = sponsors.find((one) => one.network === network);
const latest = await new Connection(demo.solana.rpcUrl).getLatestBlockhash();
const transaction = new Transaction({
  feePayer: sponsor ? new PublicKey(sponsor.address) : payer,
  ...latest,
}).add(SystemProgram.transfer({ fromPubkey: payer, toPubkey: receiver, lamports: 1_000 }));
const serialized = transaction.serialize({ requireAllSignatures: false });
/** @type {{ txSignature: string }} */
const { txSignature } = await call('POST', `/solana/submitTransaction?network=${network}`, {
  serializedTransactionBase64: serialized.toString('base64'),
});
/** @type {{ meta?: { err: object | null } | null }} */
let sent;
do {
  const path = `/solana/transactionResponse?network=${network}&txSignatureBase64=${txSignature}`;
  /** @type {{ response: typeof sent }} */
  const answer = await call('GET', path);
  sent = answer.response;
} while (sent.meta === undefined);
console.log('Payment on Solana:', sent.meta?.err === null, 'in transaction', txSignature);
