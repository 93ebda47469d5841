import { encodeNumber } from './abi-encode.js';
import { type Multicall3Call } from './multicall3.js';

/**
 * Detects that a batch ran out of gas. One contract can burn 63/64 of the remaining gas, after which later calls fail or
 * even succeed with another result, and aggregate3 does not report it. So the last call of every batch needs much gas: the
 * pairing precompile over four points at infinity costs 181,000 gas by EIP-1108 in next to no time (some chains allow no
 * more than four points). Remaining gas never rises, so if this call succeeds, every call before it had at least that much.
 */
export const gasSentinelCall: Multicall3Call = {
  to: '0x0000000000000000000000000000000000000008',
  data: '0'.repeat(4 * 192 * 2),
};

/** Result of the sentinel call (hex without 0x) where the precompile exists and there was enough gas. */
export const gasSentinelResult = encodeNumber(1);
