import type { EvmAddress } from '@app/dto';
import { encodeNumber } from './abi-codec.js';
import { RpcNodeError } from '../../node/rpc-node-error.js';

/** Address of Multicall3 on most chains; on the others its code is injected there by state override. */
export const multicall3Address: EvmAddress = '0xca11bde05977b3631167028862be2a173976ca11';

/** Calldata of Multicall3.getBlockNumber(). */
export const getBlockNumberData = '42cbb15c';

/** Calldata of Multicall3.getChainId(). */
export const getChainIdData = '3408e470';

/** Calldata of Multicall3.getCurrentBlockTimestamp(). */
export const getCurrentBlockTimestampData = '0f28c97d';

interface Multicall3Call {
  readonly to: EvmAddress;
  /** Calldata, hex without 0x. */
  readonly data: string;
}

export interface Multicall3Result {
  readonly success: boolean;
  /** Return or revert data, hex without 0x. */
  readonly data: string;
}

const AGGREGATE3_SELECTOR = '82ad56cb';
const WORD_DIGITS = 64;
const ALLOW_FAILURE_WORD = encodeNumber(1);
const CALL_DATA_OFFSET_WORD = encodeNumber(3 * 32);

/**
 * Calldata (hex without 0x) of `aggregate3((address target, bool allowFailure, bytes callData)[])`, failures allowed.
 * Hand-encoded, because a general ABI codec takes several times as long as the node (docs/adr/0021).
 */
export function encodeAggregate3(calls: readonly Multicall3Call[]): string {
  let offsets = '';
  let tuples = '';
  for (const { to, data } of calls) {
    offsets += encodeNumber(calls.length * 32 + tuples.length / 2);
    const padding = (WORD_DIGITS - (data.length % WORD_DIGITS)) % WORD_DIGITS;
    tuples += `000000000000000000000000${to.slice(2)}${ALLOW_FAILURE_WORD}${CALL_DATA_OFFSET_WORD}${encodeNumber(data.length / 2)}${data}`;
    if (padding > 0) tuples += '0'.repeat(padding);
  }
  return `${AGGREGATE3_SELECTOR}${encodeNumber(32)}${encodeNumber(calls.length)}${offsets}${tuples}`;
}

/** Decodes the `(bool success, bytes returnData)[]` of aggregate3 (hex without 0x). Throws RpcNodeError on any other shape. */
export function decodeAggregate3(returnData: string, count: number): Multicall3Result[] {
  const list = readDigitCount(returnData, 0);
  if (readNumber(returnData, list) !== count) throw createMalformedBatchError();
  const base = list + WORD_DIGITS;
  const results: Multicall3Result[] = [];
  for (let i = 0; i < count; i += 1) {
    const tuple = base + readDigitCount(returnData, base + i * WORD_DIGITS);
    const success = readNumber(returnData, tuple);
    const bytes = tuple + readDigitCount(returnData, tuple + WORD_DIGITS);
    const start = bytes + WORD_DIGITS;
    const end = start + readDigitCount(returnData, bytes);
    if (success > 1 || end > returnData.length) throw createMalformedBatchError();
    results.push({ success: success === 1, data: returnData.slice(start, end) });
  }
  return results;
}

/** Reads a word that counts bytes and returns the count of hex digits. */
function readDigitCount(returnData: string, at: number): number {
  return readNumber(returnData, at) * 2;
}

function readNumber(returnData: string, at: number): number {
  const value = Number.parseInt(returnData.slice(at, at + WORD_DIGITS), 16);
  // Offsets of 2^32 and more lie outside of any accepted response; the value is NaN where no word is left.
  if (at + WORD_DIGITS > returnData.length || !(value < 2 ** 32)) throw createMalformedBatchError();
  return value;
}

function createMalformedBatchError(): RpcNodeError {
  return new RpcNodeError('unavailable', 'the node answered a batch in another form');
}

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
