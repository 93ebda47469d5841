import { rpc } from './json-rpc.mjs';

const BALANCE = `0x${(10n ** 19n).toString(16)}`;

/**
 * Gives the demo bot's smart account coins of the local chain, with which it pays for its operations, and makes its first
 * payment, which deploys the account.
 * @param {import('./demo-client.mjs').Demo} demo
 * @returns {Promise<{ botAccount: string, userOperationHash: string }>}
 */
export async function startDemoBot(demo) {
  const { rpcUrl, chainId, holder } = demo;
  const { evm } = await call(demo, '/accounts');
  const botAccount = evm.find((account) => account.chainId === chainId).address;
  if (BigInt(await rpc(rpcUrl, 'eth_getBalance', [botAccount, 'latest'])) === 0n)
    await rpc(rpcUrl, 'anvil_setBalance', [botAccount, BALANCE]);
  const payment = { target: holder.address, callData: '0x', value: '1' };
  const { userOperationHash } = await call(demo, `/evm/submitUserOperation?chainId=${chainId}`, payment);
  const query = new URLSearchParams({ chainId, userOperationHash });
  const receipt = await call(demo, `/evm/userOperationReceipt?${query}`);
  if (receipt.success !== true) throw new Error(`The demo bot's payment is ${receipt.state}`);
  return { botAccount, userOperationHash };
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
