import type { Hex } from 'viem';
import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';

/** Functions of ERC-20 tokens whose last argument is the amount that they move or approve. */
const AMOUNT_FUNCTIONS = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function increaseAllowance(address spender, uint256 addedValue)',
]);

/**
 * Reads the amount of a call to an ERC-20 token.
 * @returns undefined for other functions and for encodings that a token could read otherwise: with trailing bytes or with
 *   bits set above an address
 */
export function parseTokenAmount(data: Hex): bigint | undefined {
  const call = decode(data);
  if (!call || encodeFunctionData({ abi: AMOUNT_FUNCTIONS, ...call }) !== data.toLowerCase())
    return undefined;
  return call.functionName === 'transferFrom' ? call.args[2] : call.args[1];
}

function decode(data: Hex) {
  try {
    return decodeFunctionData({ abi: AMOUNT_FUNCTIONS, data });
  } catch {
    // viem throws for data that it cannot decode; which of its errors it is does not matter.
    return undefined;
  }
}
