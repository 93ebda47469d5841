import { createDeployer } from '../chain/deploy.mjs';
import { deploySafe } from '../chain/deploy-safe.mjs';

const STAKED = 250n * 10n ** 18n;
/** A share is worth one and a half demo coins. */
const ASSETS_PER_SHARE = 15n * 10n ** 17n;
const SHARES = 10n * 10n ** 18n;
/** https://documentation.poap.tech: the same address on every chain */
const POAP = '0x22C1f6050E56d2876009903609a2cC3fEf83B415';
const POAP_EVENT = 4242n;
/** 2100-01-01, after every run of the demo. */
const KEY_EXPIRES_AT = 4_102_444_800n;
/** 2020-01-01. */
const KEY_EXPIRED_AT = 1_577_836_800n;
/** https://docs.delegate.xyz: the same address on every chain */
const DELEGATE_REGISTRY = '0x00000000000000447e69651d841bD8D104Bed493';
const ALL_RIGHTS = `0x${'00'.repeat(32)}`;
const HATS = [
  { name: 'Gatehouse Demo Hat #1', level: 1, attributes: [{ trait_type: 'Hat', value: 'red' }] },
  { name: 'Gatehouse Demo Hat #2', level: 2, attributes: [{ trait_type: 'Hat', value: 'blue' }] },
  { name: 'Gatehouse Demo Hat #3', level: 3, attributes: [{ trait_type: 'Hat', value: 'red' }] },
];

/**
 * Puts on the local chain what rules about Safes, staking, POAPs, metadata, functions of contracts and delegations read; what is there already stays.
 * The holder has delegated everything to the outsider.
 * @param {{ rpcUrl: string, root: string, accounts: import('./demo-accounts.mjs').DemoAccounts, erc20: string }} options
 * @returns {Promise<{ safe: string, erc900: string, erc4626: string, hats: string, membership: string, poapEvent: string }>} addresses, and an event id
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
  const poap = await deployer.contractAt(POAP, 'DemoPoap');
  if ((await poap.read('balanceOf', holder)) === 0n) await poap.send('mint', holder, POAP_EVENT);
  const hats = await deployer.contract('DemoCollectible', []);
  for (let index = Number(await hats.read('balanceOf', holder)); index < HATS.length; index += 1) {
    const uri = `data:application/json,${encodeURIComponent(JSON.stringify(HATS[index]))}`;
    await hats.send('mint', holder, BigInt(index + 1), uri);
  }
  const membership = await deployer.contract('DemoMembership', []);
  if (!(await membership.read('getHasValidKey', holder))) {
    await membership.send('grantKey', holder, KEY_EXPIRES_AT);
    await membership.send('grantKey', accounts.outsider.address, KEY_EXPIRED_AT);
  }
  const { address: registry } = await deployer.contractAt(
    DELEGATE_REGISTRY,
    'DelegateRegistry',
    'third-party',
  );
  const vault = await createDeployer({ rpcUrl, root, from: holder }).contractAt(
    registry,
    'DelegateRegistry',
    'third-party',
  );
  const outsider = accounts.outsider.address;
  if (!(await vault.read('checkDelegateForAll', outsider, holder, ALL_RIGHTS)))
    await vault.send('delegateAll', outsider, ALL_RIGHTS, true);
  return {
    safe,
    erc900: erc900.address,
    erc4626: erc4626.address,
    hats: hats.address,
    membership: membership.address,
    poapEvent: String(POAP_EVENT),
  };
}
