import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { causeOf } from '../processes/error-facts.mjs';
import { rpc } from './json-rpc.mjs';

/** https://www.multicall3.com/deployments: the same address on every chain */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

/**
 * Puts Multicall3 where public chains have it. Needs a finished build.
 * @param {string} rpcUrl
 * @param {string} root
 */
export async function installMulticall3(rpcUrl, root) {
  if ((await readCode(rpcUrl)) !== '0x') return;
  const built = join(root, 'dist/libs/chain/src/reads/evm/multicall3-code.js');
  const { multicall3Code } = /** @type {{ multicall3Code: string }} */ (
    await import(pathToFileURL(built).href)
  );
  await rpc(rpcUrl, 'anvil_setCode', [MULTICALL3, `0x${multicall3Code}`]);
}

/** @param {string} rpcUrl */
async function readCode(rpcUrl) {
  try {
    return await rpc(rpcUrl, 'eth_getCode', [MULTICALL3, 'latest']);
  } catch (error) {
    throw new Error(`The local chain at ${rpcUrl} does not answer (RPC_URL_31337 names it when it is set)`, {
      cause: causeOf(error) ?? error,
    });
  }
}
