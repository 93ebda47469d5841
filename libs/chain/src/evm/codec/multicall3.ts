import { type Address, encodeNumber } from './abi-encode.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';

/** The address at which Multicall3 stands on most chains, and at which it is put by state override on the others. */
export const multicall3Address: Address = '0xca11bde05977b3631167028862be2a173976ca11';

/** Calldata of Multicall3.getBlockNumber(). */
export const getBlockNumberData = '42cbb15c';

/** Calldata of Multicall3.getCurrentBlockTimestamp(). */
export const getCurrentBlockTimestampData = '0f28c97d';

export interface Multicall3Call {
  readonly to: Address;
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
 * Written by hand because a general ABI codec costs several times what the node does.
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

/**
 * Reads the `(bool success, bytes returnData)[]` of aggregate3 (hex without 0x). An answer of any other shape is the
 * node's fault, not a contract's: it throws NodeFailure.
 */
export function decodeAggregate3(answer: string, count: number): Multicall3Result[] {
  const list = readDigitCount(answer, 0);
  if (readNumber(answer, list) !== count) throw createMalformedBatchError();
  const base = list + WORD_DIGITS;
  const answers: Multicall3Result[] = [];
  for (let i = 0; i < count; i += 1) {
    const tuple = base + readDigitCount(answer, base + i * WORD_DIGITS);
    const success = readNumber(answer, tuple);
    const bytes = tuple + readDigitCount(answer, tuple + WORD_DIGITS);
    const start = bytes + WORD_DIGITS;
    const end = start + readDigitCount(answer, bytes);
    if (success > 1 || end > answer.length) throw createMalformedBatchError();
    answers.push({ success: success === 1, data: answer.slice(start, end) });
  }
  return answers;
}

/** A word that counts bytes, as a count of hex digits. */
function readDigitCount(answer: string, at: number): number {
  return readNumber(answer, at) * 2;
}

function readNumber(answer: string, at: number): number {
  const value = Number.parseInt(answer.slice(at, at + WORD_DIGITS), 16);
  // Above 2^32 it points outside of any answer that we would have read; NaN when there is no word.
  if (at + WORD_DIGITS > answer.length || !(value < 2 ** 32)) throw createMalformedBatchError();
  return value;
}

function createMalformedBatchError(): RpcNodeError {
  return new RpcNodeError('unavailable', 'the node answered a batch with something else');
}
