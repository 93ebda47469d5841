import { createReadFailure, type ReadFailure } from './read-result.js';

/** The undecoded result of one call. `data` is hex without 0x. */
export type CallResult =
  | { readonly kind: 'data'; readonly data: string; readonly blockNumber?: bigint }
  | { readonly kind: 'reverted'; readonly blockNumber?: bigint }
  | { readonly kind: 'failed'; readonly failure: ReadFailure };

/** A transient failure: the result is unknown, and a later retry may succeed. */
export function createUnavailableResult(message: string): CallResult {
  return { kind: 'failed', failure: createReadFailure('unavailable', message) };
}
