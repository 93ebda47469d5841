import { createDeployer } from './deploy.mjs';
import { deploySafe } from './deploy-safe.mjs';

const STAKED = 250n * 10n ** 18n;
/** A share is worth one and a half demo coins. */
const ASSETS_PER_SHARE = 15n * 10n ** 17n;
const SHARES = 10n * 10n ** 18n;

/**
 * Puts on the local chain what rules about Safes and staking read; what is there already stays.
 * @param {{ rpcUrl: string, root: string, accounts: Awaited<ReturnType<import('./demo-accounts.mjs').demoAccounts>>, erc20: string }} options
 * @returns {Promise<{ safe: string, erc900: string, erc4626: string }>} addresses
 */
export async function deployRuleTypeDemo({ rpcUrl, root, accounts, erc20 }) {
  const from = accounts.deployer.address;
  const holder = accounts.holder.address;
  const deployer = createDeployer({ rpcUrl, root, from });
  const safe = await deploySafe({ rpcUrl, root, from, owners: [holder] });
  const erc900 = await deployer.contract('DemoERC900', [erc20]);
  if ((await erc900.read('totalStakedFor', holder)) === 0n)
    await erc900.send('stakeFor', holder, STAKED, '0x');
  const erc4626 = await deployer.contract('DemoERC4626', [erc20]);
  if ((await erc4626.read('balanceOf', holder)) === 0n) {
    await erc4626.send('setAssetsPerShare', ASSETS_PER_SHARE);
    await erc4626.send('mint', SHARES, holder);
  }
  return { safe, erc900: erc900.address, erc4626: erc4626.address };
}
