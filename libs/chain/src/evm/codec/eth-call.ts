import { type Address } from './abi-encode.js';
import { multicall3Code } from './multicall3-code.js';
import { multicall3Address } from './multicall3.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';

/** The newest block, or one by its number in hex with 0x. */
export type BlockTag = 'latest' | `0x${string}`;

const MULTICALL3_STATE_OVERRIDE = JSON.stringify({ [multicall3Address]: { code: `0x${multicall3Code}` } });

/** The params of eth_call as JSON text; `bringMulticall3` lends the code of Multicall3 to the call. */
export function encodeEthCallParams(
  to: Address,
  data: string,
  block: BlockTag,
  bringMulticall3: boolean,
): string {
  const call = `{"to":"${to}","data":"0x${data}"}`;
  return bringMulticall3 && to === multicall3Address
    ? `[${call},"${block}",${MULTICALL3_STATE_OVERRIDE}]`
    : `[${call},"${block}"]`;
}

/** The params of an eth_call that runs init code and forgets what it makes. `initCode` is hex without 0x. */
export function encodeInitCodeCallParams(initCode: string, block: BlockTag): string {
  return `[{"data":"0x${initCode}"},"${block}"]`;
}

/** Hex without 0x. Throws NodeFailure on half a byte. */
export function parseReturnData(result: string): string {
  if (result.length % 2 !== 0) throw new RpcNodeError('unavailable', 'the node answered half a byte');
  return result.slice(2);
}
