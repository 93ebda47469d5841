import { rpc } from './json-rpc.mjs';

const BALANCE = `0x${(10n ** 19n).toString(16)}`;

/**
 * Gives the demo bot's smart account coins of the local chain, with which it pays for its operations.
 * @param {import('./demo-client.mjs').Demo} demo
 * @returns {Promise<{ botAccount: string }>}
 */
export async function fundDemoBot({ gatewayUrl, apiKey, rpcUrl, chainId, accountKit }) {
  const response = await fetch(`${gatewayUrl}/accountkit/v1/chatbot/accounts`, {
    headers: { 'X-API-Key': apiKey, 'X-BOT-TOKEN': accountKit.botToken },
  });
  if (!response.ok)
    throw new Error(`The demo bot has no account: ${response.status} ${await response.text()}`);
  const { evm } = await response.json();
  const botAccount = evm.find((account) => account.chainId === chainId).address;
  if (BigInt(await rpc(rpcUrl, 'eth_getBalance', [botAccount, 'latest'])) === 0n)
    await rpc(rpcUrl, 'anvil_setBalance', [botAccount, BALANCE]);
  return { botAccount };
}
