import type { RpcNodeError } from '../node/rpc-node-error.js';

export interface ReadSuccess<T> {
  readonly ok: true;
  readonly value: T;
  /** The block that the value was read at, counted by the chain itself (on Arbitrum too); unset after a single re-read. */
  readonly blockNumber?: bigint;
}

export interface ReadFailure {
  readonly ok: false;
  /** True: the contract is the cause, and a retry fails the same way. False: the nodes are the cause; retry later. */
  readonly permanent: boolean;
  readonly code: ReadFailureCode;
  /** May be shown to callers: contains no RPC URL. */
  readonly message: string;
}

export type ReadResult<T> = ReadSuccess<T> | ReadFailure;

const PERMANENT_BY_CODE = {
  unavailable: false,
  timeout: false,
  block_unavailable: false,
  unknown_chain: true,
  reverted: true,
  out_of_gas: true,
  no_contract: true,
  malformed_answer: true,
} as const;

export type ReadFailureCode = keyof typeof PERMANENT_BY_CODE;

export function createReadFailure(code: ReadFailureCode, message: string): ReadFailure {
  return { ok: false, permanent: PERMANENT_BY_CODE[code], code, message };
}

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
