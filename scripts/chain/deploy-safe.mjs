import { createDeployer } from './deploy.mjs';
import { rpc } from './json-rpc.mjs';

/** @import { Hex } from 'viem' */

const NO_ADDRESS = `0x${'0'.repeat(40)}`;
const SALT_NONCE = 0n;

/**
 * Deploys a Safe 1.4.1 with its published artifacts, at an address that follows from its owners; one that is there stays.
 * @param {{ rpcUrl: string, root: string, from: string, owners: readonly string[] }} options `from` is an unlocked account of the node
 * @returns {Promise<string>} the address of the Safe
 */
export async function deploySafe({ rpcUrl, root, from, owners }) {
  const { concatHex, encodeFunctionData, getContractAddress, keccak256, numberToHex, pad } =
    await import('viem');
  const deployer = createDeployer({ rpcUrl, root, from });
  const singleton = await deployer.contract('Safe', [], 'third-party');
  const factory = await deployer.contract('SafeProxyFactory', [], 'third-party');
  const initializer = encodeFunctionData({
    abi: singleton.abi,
    functionName: 'setup',
    args: [owners, 1n, NO_ADDRESS, '0x', NO_ADDRESS, NO_ADDRESS, 0n, NO_ADDRESS],
  });
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: factory.address,
    salt: keccak256(concatHex([keccak256(initializer), numberToHex(SALT_NONCE, { size: 32 })])),
    bytecode: concatHex([
      /** @type {Hex} */ (await factory.read('proxyCreationCode')),
      pad(singleton.address, { size: 32 }),
    ]),
  });
  if ((await rpc(rpcUrl, 'eth_getCode', [address, 'latest'])) === '0x')
    await factory.send('createProxyWithNonce', singleton.address, initializer, SALT_NONCE);
  return address;
}
