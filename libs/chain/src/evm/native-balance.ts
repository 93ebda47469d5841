import { decodeUint256 } from './decode-answer.js';
import { addressWord } from './hex.js';
import { multicall3Target, type Read } from './read.js';

/** Multicall3.getEthBalance: the coin balance of an account, in its smallest unit. */
export function nativeBalance(account: string): Read<bigint> {
  return { to: multicall3Target, data: `4d2301cc${addressWord(account)}`, decode: decodeUint256 };
}
