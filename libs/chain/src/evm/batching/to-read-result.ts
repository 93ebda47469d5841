import { MalformedReturnDataError } from '../codec/abi-decode.js';
import { type CallResult } from '../../shared/call-result.js';
import { createReadFailure } from '../../shared/read-result.js';
import { type ReadResult, type ContractRead } from '../codec/contract-read.js';

/** What a raw answer means to the read that asked: the place where lasting failures of contracts are told apart. */
export function toReadResult<T>(read: ContractRead<T>, raw: CallResult): ReadResult<T> {
  if (raw.kind === 'failed') return raw.failure;
  const { blockNumber } = raw;
  if (raw.kind === 'reverted') {
    if (read.onRevert) return { ok: true, value: read.onRevert.value, blockNumber };
    return createReadFailure('reverted', 'the contract reverted');
  }
  // A call to an address without code succeeds and returns nothing; so does a contract whose fallback swallows the call.
  if (raw.data === '')
    return createReadFailure('no_contract', 'no contract at this address answers this call');
  try {
    return { ok: true, value: read.decode(raw.data), blockNumber };
  } catch (error) {
    if (error instanceof MalformedReturnDataError)
      return createReadFailure('malformed_answer', error.message);
    throw error;
  }
}
