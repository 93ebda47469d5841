import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rpc } from './json-rpc.mjs';

/** @import { Abi, Address, Hex } from 'viem' */

/** Deploys at an address that depends on the code alone: https://github.com/Arachnid/deterministic-deployment-proxy */
const DETERMINISTIC_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
/** @type {Hex} */
const SALT = `0x${'00'.repeat(32)}`;
const RECEIPT_MS = 10_000;

/**
 * @typedef {object} Contract a deployed one
 * @property {Address} address
 * @property {Abi} abi
 * @property {(functionName: string, ...args: unknown[]) => Promise<unknown>} read
 * @property {(functionName: string, ...args: unknown[]) => Promise<void>} send
 * @property {(value: bigint, functionName: string, ...args: unknown[]) => Promise<void>} pay
 */

/**
 * Speaks to the local chain from one of its unlocked accounts.
 * @param {{ rpcUrl: string, root: string, from: string }} options
 */
export function createDeployer({ rpcUrl, root, from }) {
  /** @param {Address} to @param {Hex} data @param {bigint} [value] */
  async function send(to, data, value = 0n) {
    const transaction = { from, to, data, value: `0x${value.toString(16)}` };
    const hash = await rpc(rpcUrl, 'eth_sendTransaction', [transaction]);
    const deadline = Date.now() + RECEIPT_MS;
    let receipt = await readReceipt(hash);
    while (receipt === null) {
      if (Date.now() > deadline) throw new Error(`Transaction ${hash} is not mined`);
      await sleep(20);
      receipt = await readReceipt(hash);
    }
    if (receipt.status !== '0x1') throw new Error(`Transaction ${hash} to ${to} failed`);
  }

  /** @param {string} hash @returns {Promise<{ status: Hex } | null>} */
  const readReceipt = (hash) => rpc(rpcUrl, 'eth_getTransactionReceipt', [hash]);

  /** @param {string} name @param {string} folder @returns {{ abi: Abi, bytecode: Hex }} */
  const readArtifact = (name, folder) =>
    /** @type {{ abi: Abi, bytecode: Hex }} */ (
      JSON.parse(readFileSync(join(root, `contracts/${folder}/${name}.artifact.json`), 'utf8'))
    );
  /** @param {Address} address */
  const isDeployed = async (address) => (await rpc(rpcUrl, 'eth_getCode', [address, 'latest'])) !== '0x';

  /** @param {Address} address @param {Abi} abi @returns {Promise<Contract>} */
  async function at(address, abi) {
    const { decodeFunctionResult, encodeFunctionData } = await import('viem');
    return {
      address,
      abi,
      async read(functionName, ...args) {
        const data = encodeFunctionData({ abi, functionName, args });
        /** @type {Hex} */
        const answer = await rpc(rpcUrl, 'eth_call', [{ to: address, data }, 'latest']);
        return decodeFunctionResult({ abi, functionName, data: answer });
      },
      send: (functionName, ...args) => send(address, encodeFunctionData({ abi, functionName, args })),
      pay: (value, functionName, ...args) =>
        send(address, encodeFunctionData({ abi, functionName, args }), value),
    };
  }

  return {
    /**
     * @param {string} name
     * @param {unknown[]} args of its constructor
     * @param {string} [folder] of `contracts`
     * @param {Hex} [salt]
     * @returns {Promise<Contract>} the contract, deployed unless it is there
     */
    async contract(name, args, folder = 'artifacts', salt = SALT) {
      const { concatHex, encodeDeployData, getContractAddress } = await import('viem');
      const { abi, bytecode } = readArtifact(name, folder);
      const code = encodeDeployData({ abi, bytecode, args });
      const address = getContractAddress({
        opcode: 'CREATE2',
        from: DETERMINISTIC_DEPLOYER,
        salt,
        bytecode: code,
      });
      if (!(await isDeployed(address))) await send(DETERMINISTIC_DEPLOYER, concatHex([salt, code]));
      return at(address, abi);
    },

    /**
     * Puts a contract without constructor at the address that it has on public chains. The node must be anvil.
     * @param {Address} address
     * @param {string} name
     * @param {string} [folder] of `contracts`
     * @returns {Promise<Contract>}
     */
    async contractAt(address, name, folder = 'artifacts') {
      if (!(await isDeployed(address))) {
        const deployed = await this.contract(name, [], folder);
        const code = await rpc(rpcUrl, 'eth_getCode', [deployed.address, 'latest']);
        await rpc(rpcUrl, 'anvil_setCode', [address, code]);
      }
      return at(address, readArtifact(name, folder).abi);
    },
  };
}
