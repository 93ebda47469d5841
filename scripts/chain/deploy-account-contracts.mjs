import { createDeployer } from './deploy.mjs';

/** @import { Address, Hex } from 'viem' */

/** The salts of the canonical deployments, which give the EntryPoints their addresses on public chains. */
const ENTRY_POINT_07_SALT = '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3';
const ENTRY_POINT_08_SALT = '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9';
/** @type {Hex} */
const NO_SALT = `0x${'00'.repeat(32)}`;
const PAYMASTER_DEPOSIT = 10n * 10n ** 18n;

/**
 * Deploys the contracts of smart accounts (ERC-4337) at the addresses that they have on public chains, and funded
 * paymasters; what is there already stays.
 * @param {{ rpcUrl: string, root: string, accounts: Record<'deployer' | 'paymasterSigner', { address: string }> }} options
 * @returns {Promise<Record<'entryPoint07' | 'entryPoint08' | 'factory07' | 'factory08' | 'paymaster07' | 'paymaster08', Address>>}
 */
export async function deployAccountContracts({ rpcUrl, root, accounts }) {
  const deployer = createDeployer({ rpcUrl, root, from: accounts.deployer.address });
  /** @param {string} name @param {unknown[]} args @param {Hex} [salt] */
  const deploy = (name, args, salt = NO_SALT) => deployer.contract(name, args, 'third-party', salt);
  const entryPoint07 = await deploy('EntryPoint07', [], ENTRY_POINT_07_SALT);
  const entryPoint08 = await deploy('EntryPoint08', [], ENTRY_POINT_08_SALT);
  const factory07 = await deploy('SimpleAccountFactory07', [entryPoint07.address]);
  const factory08 = await deploy('SimpleAccountFactory08', [entryPoint08.address]);
  const signer = accounts.paymasterSigner.address;
  const paymaster07 = await deploy('VerifyingPaymaster07', [entryPoint07.address, signer]);
  const owner = accounts.deployer.address;
  const paymaster08 = await deployer.contract('VerifyingPaymaster', [entryPoint08.address, signer, owner]);
  for (const { entryPoint, address } of [
    { entryPoint: entryPoint07, address: paymaster07.address },
    { entryPoint: entryPoint08, address: paymaster08.address },
  ])
    if ((await entryPoint.read('balanceOf', address)) === 0n)
      await entryPoint.pay(PAYMASTER_DEPOSIT, 'depositTo', address);
  return {
    entryPoint07: entryPoint07.address,
    entryPoint08: entryPoint08.address,
    factory07: factory07.address,
    factory08: factory08.address,
    paymaster07: paymaster07.address,
    paymaster08: paymaster08.address,
  };
}
