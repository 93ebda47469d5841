import { encodeNumber } from './abi-encode.js';
import { type Multicall3Call } from './multicall3.js';

/**
 * One contract of a batch can burn 63/64 of the gas that is left, and the calls behind it then fail, or even succeed with
 * another answer, for want of gas. aggregate3 does not tell. So the last call of a batch is one that needs much gas and
 * gives it to nobody: the pairing precompile over four points at infinity costs 181,000 gas by EIP-1108, next to no time,
 * and more points than four are not allowed on some chains. Gas only ever falls, so when this call succeeds, every call
 * before it had that much; when it fails, mostly the whole batch runs out of gas with it, and if not, it is not believed.
 */
export const gasSentinelCall: Multicall3Call = {
  to: '0x0000000000000000000000000000000000000008',
  data: '0'.repeat(4 * 192 * 2),
};

/** What the gauge answers (hex without 0x) where the precompile exists and the gas lasted. */
export const gasSentinelResult = encodeNumber(1);
