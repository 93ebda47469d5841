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
/** A tuple of aggregate3 before its calldata: target, allowFailure, the offset of the calldata and its length. */
const TUPLE_HEAD_DIGITS = 4 * WORD_DIGITS;
const CALL_DATA_OFFSET = 3 * 32;
const DIGIT_0 = 0x30;

/**
 * Calldata (hex without 0x) of `aggregate3((address target, bool allowFailure, bytes callData)[])`, failures allowed.
 * Hand-encoded, because a general ABI codec takes several times as long as the node (docs/adr/0021), and into one buffer of
 * zeros: 0.4 µs a call, where joining texts takes 1.5 µs.
 */
export function encodeAggregate3(calls: readonly Multicall3Call[]): string {
  const listAt = AGGREGATE3_SELECTOR.length + 2 * WORD_DIGITS;
  const tuplesAt = listAt + calls.length * WORD_DIGITS;
  let size = tuplesAt;
  for (const { data } of calls) size += TUPLE_HEAD_DIGITS + toWholeWords(data.length);
  const digits = Buffer.alloc(size, DIGIT_0);
  digits.write(AGGREGATE3_SELECTOR, 'latin1');
  writeNumber(digits, 32, listAt - WORD_DIGITS);
  writeNumber(digits, calls.length, listAt);
  let [offsetAt, tupleAt] = [listAt, tuplesAt];
  for (const { to, data } of calls) {
    offsetAt += WORD_DIGITS;
    writeNumber(digits, (tupleAt - listAt) / 2, offsetAt);
    digits.write(to.slice(2), tupleAt + WORD_DIGITS - 40, 'latin1');
    writeNumber(digits, 1, tupleAt + 2 * WORD_DIGITS);
    writeNumber(digits, CALL_DATA_OFFSET, tupleAt + 3 * WORD_DIGITS);
    writeNumber(digits, data.length / 2, tupleAt + TUPLE_HEAD_DIGITS);
    digits.write(data, tupleAt + TUPLE_HEAD_DIGITS, 'latin1');
    tupleAt += TUPLE_HEAD_DIGITS + toWholeWords(data.length);
  }
  return digits.toString('latin1');
}

const toWholeWords = (digits: number): number => Math.ceil(digits / WORD_DIGITS) * WORD_DIGITS;

/** Writes a number below 2^32 so that its last digit is before `end`. */
function writeNumber(digits: Buffer, value: number, end: number): void {
  for (let [rest, at] = [value, end - 1]; rest > 0; rest = Math.floor(rest / 16), at -= 1) {
    const digit = rest % 16;
    digits[at] = digit < 10 ? DIGIT_0 + digit : 0x57 + digit;
  }
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
