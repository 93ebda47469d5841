import { createDeployer } from '../chain/deploy.mjs';
import { installMulticall3 } from '../chain/multicall.mjs';

const DECIMALS = 18;
const SUPPLY = 1_000n * 10n ** BigInt(DECIMALS);
const NFT_IDS = [1n, 2n, 42n];
const ITEM_ID = 7n;
const ITEMS = 10n;

/**
 * Puts the demo tokens on the local chain, at the same addresses each time; what is there already stays.
 * @param {{ rpcUrl: string, root: string, accounts: import('./demo-accounts.mjs').DemoAccounts }} options
 * @returns {Promise<Record<'erc20' | 'erc721' | 'erc1155', import('viem').Address>>}
 */
export async function deployDemoContracts({ rpcUrl, root, accounts }) {
  await installMulticall3(rpcUrl, root);
  const holder = accounts.holder.address;
  const deployer = createDeployer({ rpcUrl, root, from: accounts.deployer.address });
  const erc20 = await deployer.contract('DemoERC20', [
    'Gatehouse Demo Coin',
    'GDC',
    DECIMALS,
    holder,
    SUPPLY,
  ]);
  const erc721 = await deployer.contract('DemoERC721', ['Gatehouse Demo Badge', 'GDB']);
  const erc1155 = await deployer.contract('DemoERC1155', []);
  if ((await erc721.read('balanceOf', holder)) === 0n)
    for (const id of NFT_IDS) await erc721.send('mint', holder, id);
  if ((await erc1155.read('balanceOf', holder, ITEM_ID)) === 0n)
    await erc1155.send('mint', holder, ITEM_ID, ITEMS);
  return { erc20: erc20.address, erc721: erc721.address, erc1155: erc1155.address };
}
