import { type RpcNodeError } from './rpc-node-error.js';
import { createReadFailure, type ReadFailure } from './read-result.js';

/** The undecoded result of one call. `data` is hex without 0x. */
export type CallResult =
  | { readonly kind: 'data'; readonly data: string; readonly blockNumber?: bigint }
  /** `isBare`: as calls of a function that does not exist revert, without data or with a reason that says so. */
  | { readonly kind: 'reverted'; readonly blockNumber?: bigint; readonly isBare?: boolean }
  | { readonly kind: 'failed'; readonly failure: ReadFailure };

/** A transient failure: the result is unknown, and a later retry may succeed. */
export function createUnavailableResult(message: string): CallResult {
  return { kind: 'failed', failure: createReadFailure('unavailable', message) };
}

/**
 * The transient failure of a read that no node answered.
 * @param pinnedBlock the block that the read names
 */
export function toUnavailableResult(
  { message, details }: RpcNodeError,
  pinnedBlock: bigint | undefined,
): CallResult {
  if (pinnedBlock === undefined || !details.blockMissing) return createUnavailableResult(message);
  return { kind: 'failed', failure: createReadFailure('block_unavailable', message) };
}
