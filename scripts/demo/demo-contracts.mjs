import { createDeployer } from '../chain/deploy.mjs';
import { rpc } from '../chain/json-rpc.mjs';
import { installMulticall3 } from '../chain/multicall.mjs';

const DECIMALS = 18;
const SUPPLY = 1_000n * 10n ** BigInt(DECIMALS);
/** Ids of the demo ERC-721 that the demo holder gets. */
export const DEMO_BADGES = [1, 2, 42];
/** The badge of the chat user. */
const CHAT_BADGE = 4_242n;
const COLLECTION = ['Gatehouse Demo Badge', 'GDB'];
const ITEM_ID = 7n;
const ITEMS = 10n;
/** A hundredth of a coin, in wei. */
const FEE_MONEY = '0x2386f26fc10000';

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
  const erc721 = await deployer.contract('DemoERC721', COLLECTION);
  const erc1155 = await deployer.contract('DemoERC1155', []);
  for (const id of DEMO_BADGES) {
    // A token that nobody has yet reverts.
    const owner = await erc721.read('ownerOf', BigInt(id)).catch(() => undefined);
    if (owner === undefined) await erc721.send('mint', holder, BigInt(id));
    else if (owner === accounts.outsider.address) await giveBack({ rpcUrl, root, accounts, id });
  }
  const hasBadge = await erc721.read('ownerOf', CHAT_BADGE).catch(() => undefined);
  if (hasBadge === undefined) await erc721.send('mint', accounts.chatter.address, CHAT_BADGE);
  if ((await erc1155.read('balanceOf', holder, ITEM_ID)) === 0n)
    await erc1155.send('mint', holder, ITEM_ID, ITEMS);
  return { erc20: erc20.address, erc721: erc721.address, erc1155: erc1155.address };
}

/**
 * Gives the holder a badge that the outsider bought on the portal's page "Test wallet": the guides and the demo's checks count on it. The
 * outsider has coins for the fee only meanwhile.
 * @param {{ rpcUrl: string, root: string, accounts: import('./demo-accounts.mjs').DemoAccounts, id: number }} options
 */
async function giveBack({ rpcUrl, root, accounts: { holder, outsider }, id }) {
  const seller = createDeployer({ rpcUrl, root, from: outsider.address });
  const collection = await seller.contract('DemoERC721', COLLECTION);
  await rpc(rpcUrl, 'anvil_setBalance', [outsider.address, FEE_MONEY]);
  await collection.send('transferFrom', outsider.address, holder.address, BigInt(id));
  await rpc(rpcUrl, 'anvil_setBalance', [outsider.address, '0x0']);
}
