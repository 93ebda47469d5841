import { MalformedReturnDataError } from '../codec/abi-decode.js';
import { type CallResult } from '../../shared/call-result.js';
import { createReadFailure, type ReadResult } from '../../shared/read-result.js';
import { type ContractRead } from '../codec/contract-read.js';

/** Decodes a call result for the read it belongs to, and classifies the permanent failures of contracts. */
export function toReadResult<T>(read: ContractRead<T>, result: CallResult): ReadResult<T> {
  if (result.kind === 'failed') return result.failure;
  const { blockNumber } = result;
  if (result.kind === 'reverted') {
    if (read.onRevert) return { ok: true, value: read.onRevert.value, blockNumber };
    return createReadFailure('reverted', 'the contract reverted');
  }
  // A call to an address without code succeeds with empty data; so does a contract with an accepting fallback.
  if (result.data === '')
    return createReadFailure('no_contract', 'no contract at this address answers this call');
  try {
    return { ok: true, value: read.decode(result.data), blockNumber };
  } catch (error) {
    if (error instanceof MalformedReturnDataError)
      return createReadFailure('malformed_answer', error.message);
    throw error;
  }
}
