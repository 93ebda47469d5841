import { type ReadFailure } from '../evm/codec/contract-read.js';
import { createReadFailure } from './read-result.js';

/** What came of one call, before anybody says what it means. `data` is hex without 0x. */
export type CallResult =
  | { readonly kind: 'data'; readonly data: string; readonly blockNumber?: bigint }
  | { readonly kind: 'reverted'; readonly blockNumber?: bigint }
  | { readonly kind: 'failed'; readonly failure: ReadFailure };

/** Nothing is known: asking again later may help. */
export function createUnavailableResult(message: string): CallResult {
  return { kind: 'failed', failure: createReadFailure('unavailable', message) };
}
