import { MalformedAnswer } from './decode-answer.js';
import { type RawAnswer } from './raw-answer.js';
import { readFailure } from './read-failure.js';
import { type Outcome, type Read } from './read.js';

/** What a raw answer means to the read that asked: the place where lasting failures of contracts are told apart. */
export function settleRead<T>(read: Read<T>, raw: RawAnswer): Outcome<T> {
  if (raw.kind === 'failed') return raw.failure;
  const { blockNumber } = raw;
  if (raw.kind === 'reverted') {
    if (read.onRevert) return { ok: true, value: read.onRevert.value, blockNumber };
    return readFailure('reverted', 'the contract reverted');
  }
  // A call to an address without code succeeds and returns nothing; so does a contract whose fallback swallows the call.
  if (raw.data === '') return readFailure('no_contract', 'no contract at this address answers this call');
  try {
    return { ok: true, value: read.decode(raw.data), blockNumber };
  } catch (error) {
    if (error instanceof MalformedAnswer) return readFailure('malformed_answer', error.message);
    throw error;
  }
}
