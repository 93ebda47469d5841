import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rpc } from './json-rpc.mjs';

/** Deploys at an address that depends on the code alone: https://github.com/Arachnid/deterministic-deployment-proxy */
const DETERMINISTIC_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const SALT = `0x${'00'.repeat(32)}`;
const RECEIPT_MS = 10_000;

/** Speaks to the local chain from one of its unlocked accounts. */
export function createDeployer({ rpcUrl, root, from }) {
  async function send(to, data) {
    const hash = await rpc(rpcUrl, 'eth_sendTransaction', [{ from, to, data }]);
    const deadline = Date.now() + RECEIPT_MS;
    let receipt = null;
    while ((receipt = await rpc(rpcUrl, 'eth_getTransactionReceipt', [hash])) === null) {
      if (Date.now() > deadline) throw new Error(`Transaction ${hash} is not mined`);
      await sleep(20);
    }
    if (receipt.status !== '0x1') throw new Error(`Transaction ${hash} to ${to} failed`);
  }

  return {
    /** @returns {Promise<{ address: string, read: Function, send: Function }>} the contract, deployed unless it is there */
    async contract(name, args, folder = 'artifacts') {
      const { concatHex, decodeFunctionResult, encodeDeployData, encodeFunctionData, getContractAddress } =
        await import('viem');
      const { abi, bytecode } = JSON.parse(
        readFileSync(join(root, `contracts/${folder}/${name}.artifact.json`), 'utf8'),
      );
      const code = encodeDeployData({ abi, bytecode, args });
      const address = getContractAddress({
        opcode: 'CREATE2',
        from: DETERMINISTIC_DEPLOYER,
        salt: SALT,
        bytecode: code,
      });
      if ((await rpc(rpcUrl, 'eth_getCode', [address, 'latest'])) === '0x')
        await send(DETERMINISTIC_DEPLOYER, concatHex([SALT, code]));
      return {
        address,
        abi,
        async read(functionName, ...callArgs) {
          const data = encodeFunctionData({ abi, functionName, args: callArgs });
          const answer = await rpc(rpcUrl, 'eth_call', [{ to: address, data }, 'latest']);
          return decodeFunctionResult({ abi, functionName, data: answer });
        },
        send: (functionName, ...callArgs) =>
          send(address, encodeFunctionData({ abi, functionName, args: callArgs })),
      };
    },
  };
}
