import { encodeNumber } from './abi-encode.js';
import { type BlockTag } from './eth-call.js';

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
