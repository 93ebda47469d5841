import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rpc } from './json-rpc.mjs';

/** https://www.multicall3.com/deployments: the same address on every chain */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Puts Multicall3 where public chains have it. Needs a finished build. */
export async function installMulticall3(rpcUrl, root) {
  if (
    (await rpc(rpcUrl, 'eth_getCode', [MULTICALL3, 'latest']).catch((error) => explain(rpcUrl, error))) !==
    '0x'
  )
    return;
  const built = join(root, 'dist/libs/chain/src/evm/codec/multicall3-code.js');
  const { multicall3Code } = await import(pathToFileURL(built).href);
  await rpc(rpcUrl, 'anvil_setCode', [MULTICALL3, `0x${multicall3Code}`]);
}

function explain(rpcUrl, error) {
  throw new Error(`The local chain at ${rpcUrl} does not answer (RPC_URL_31337 names it when it is set)`, {
    cause: error.cause ?? error,
  });
}
