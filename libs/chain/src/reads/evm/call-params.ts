import type { EvmAddress } from '@app/dto';
import { multicall3Code } from './multicall3-code.js';
import { multicall3Address } from './multicall3.js';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { encodeNumber } from './abi-codec.js';

/** The newest block, or one by its number in hex with 0x. */
export type BlockTag = 'latest' | `0x${string}`;

export function toBlockTag(blockNumber: bigint): BlockTag {
  return `0x${blockNumber.toString(16)}`;
}

const MULTICALL3_STATE_OVERRIDE = JSON.stringify({ [multicall3Address]: { code: `0x${multicall3Code}` } });

/** The params of eth_call as JSON text; `overrideMulticall3` injects the code of Multicall3 by state override. */
export function encodeEthCallParams(
  to: EvmAddress,
  data: string,
  block: BlockTag,
  overrideMulticall3: boolean,
): string {
  const call = `{"to":"${to}","data":"0x${data}"}`;
  return overrideMulticall3 && to === multicall3Address
    ? `[${call},"${block}",${MULTICALL3_STATE_OVERRIDE}]`
    : `[${call},"${block}"]`;
}

/** The params of an eth_call that executes init code without deploying it. `initCode` is hex without 0x. */
export function encodeInitCodeCallParams(initCode: string, block: BlockTag): string {
  return `[{"data":"0x${initCode}"},"${block}"]`;
}

/** Hex without 0x. Throws RpcNodeError on an odd number of digits. */
export function parseReturnData(result: string): string {
  if (result.length % 2 !== 0) throw new RpcNodeError('unavailable', 'the node answered half a byte');
  return result.slice(2);
}

/** EIP-7702: the code of an externally owned account that delegates to a contract. It still signs with its key alone. */
const DELEGATION_DESIGNATOR = /^0xef0100[0-9a-f]{40}$/i;

export const GET_CODE_METHOD = 'eth_getCode';

/** The params of eth_getCode as JSON text. `address` is hex without 0x. */
export function encodeGetCodeParams(address: string, block: BlockTag): string {
  return `["0x${address}","${block}"]`;
}

/**
 * Reduces the code of an account, a hex text with 0x, to an ABI boolean: whether the account is a contract. The whole code is
 * read, because a designator cannot be told from a contract of 23 bytes by its length. Undefined for half a byte.
 */
export function toContractFlag(code: string): string | undefined {
  if (code.length % 2 !== 0) return undefined;
  return encodeNumber(code === '0x' || DELEGATION_DESIGNATOR.test(code) ? 0 : 1);
}
