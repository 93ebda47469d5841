import { type Address, numberWord } from './hex.js';
import { NodeFailure } from './node-failure.js';

/** The address at which Multicall3 stands on most chains, and at which it is put by state override on the others. */
export const multicall3Address: Address = '0xca11bde05977b3631167028862be2a173976ca11';

/** Calldata of Multicall3.getBlockNumber(). */
export const getBlockNumberData = '42cbb15c';

/** Calldata of Multicall3.getCurrentBlockTimestamp(). */
export const getTimestampData = '0f28c97d';

export interface BatchCall {
  readonly to: Address;
  /** Calldata, hex without 0x. */
  readonly data: string;
}

export interface BatchAnswer {
  readonly success: boolean;
  /** Return or revert data, hex without 0x. */
  readonly data: string;
}

const aggregate3 = '82ad56cb';
const wordDigits = 64;
const allowFailure = numberWord(1);
const callDataOffset = numberWord(3 * 32);

/**
 * Calldata (hex without 0x) of `aggregate3((address target, bool allowFailure, bytes callData)[])`, failures allowed.
 * Written by hand because a general ABI codec costs several times what the node does.
 */
export function encodeAggregate3(calls: readonly BatchCall[]): string {
  let offsets = '';
  let tuples = '';
  for (const { to, data } of calls) {
    offsets += numberWord(calls.length * 32 + tuples.length / 2);
    const padding = (wordDigits - (data.length % wordDigits)) % wordDigits;
    tuples += `000000000000000000000000${to.slice(2)}${allowFailure}${callDataOffset}${numberWord(data.length / 2)}${data}`;
    if (padding > 0) tuples += '0'.repeat(padding);
  }
  return `${aggregate3}${numberWord(32)}${numberWord(calls.length)}${offsets}${tuples}`;
}

/**
 * Reads the `(bool success, bytes returnData)[]` of aggregate3 (hex without 0x). An answer of any other shape is the
 * node's fault, not a contract's: it throws NodeFailure.
 */
export function decodeAggregate3(answer: string, count: number): BatchAnswer[] {
  const list = digits(answer, 0);
  if (word(answer, list) !== count) throw badAnswer();
  const base = list + wordDigits;
  const answers: BatchAnswer[] = [];
  for (let i = 0; i < count; i += 1) {
    const tuple = base + digits(answer, base + i * wordDigits);
    const success = word(answer, tuple);
    const bytes = tuple + digits(answer, tuple + wordDigits);
    const start = bytes + wordDigits;
    const end = start + digits(answer, bytes);
    if (success > 1 || end > answer.length) throw badAnswer();
    answers.push({ success: success === 1, data: answer.slice(start, end) });
  }
  return answers;
}

/** A word that counts bytes, as a count of hex digits. */
function digits(answer: string, at: number): number {
  return word(answer, at) * 2;
}

function word(answer: string, at: number): number {
  const value = Number.parseInt(answer.slice(at, at + wordDigits), 16);
  // Above 2^32 it points outside of any answer that we would have read; NaN when there is no word.
  if (at + wordDigits > answer.length || !(value < 2 ** 32)) throw badAnswer();
  return value;
}

function badAnswer(): NodeFailure {
  return new NodeFailure('unavailable', 'the node answered a batch with something else');
}
