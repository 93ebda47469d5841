// Moves badge 1 of the demo from one demo wallet to the other, as a sale does, and prints who holds it now.
// With `npm start` running: node docs/examples/sell-demo-badge.mjs holder outsider
import { readFile } from 'node:fs/promises';
import { createTestClient, http, parseAbi, publicActions, walletActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

const [from, to] = process.argv.slice(2);
if (from === to || !isWallet(from) || !isWallet(to)) throw new Error('Name two wallets: holder and outsider');
const demo = /** @type {import('../../scripts/demo/demo-client.mjs').Demo} */ (
  JSON.parse(await readFile('.local/demo.json', 'utf8'))
);
const account = privateKeyToAccount(demo[from].privateKey);
const client = createTestClient({ account, mode: 'anvil', chain: foundry, transport: http(demo.rpcUrl) })
  .extend(publicActions)
  .extend(walletActions);
const badges = {
  address: /** @type {import('viem').Address} */ (demo.tokens.erc721),
  abi: parseAbi([
    'function ownerOf(uint256 tokenId) view returns (address)',
    'function transferFrom(address from, address to, uint256 tokenId)',
  ]),
};
const owner = await client.readContract({ ...badges, functionName: 'ownerOf', args: [1n] });
if (owner !== account.address) {
  console.log(`badge 1 is not held by the ${from}: nothing to sell`);
  process.exit();
}
const balance = await client.getBalance(account);
// The outsider has no coins, and gets the fee for this transaction only.
await client.setBalance({ address: account.address, value: 10n ** 18n });
const hash = await client.writeContract({
  ...badges,
  functionName: 'transferFrom',
  args: [account.address, demo[to].address, 1n],
});
await client.waitForTransactionReceipt({ hash });
await client.setBalance({ address: account.address, value: balance });
console.log(`badge 1 is held by the ${to} now`);

/** @param {string | undefined} name @returns {name is 'holder' | 'outsider'} */
function isWallet(name) {
  return name === 'holder' || name === 'outsider';
}
