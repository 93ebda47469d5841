import { MINUTE_MS, parseRetryAfter } from '@app/common';

/**
 * - `unavailable`: no result: refused, timed out, rate limited, not JSON, wrong chain …; another node may succeed
 * - `too_heavy`: the node could not complete the request; a smaller request may succeed
 * - `rejected`: the node answered with an error that no list knows, although it executes other calls; probably the contract's
 * - `no_multicall`: the node has no code at the address of Multicall3
 * - `reverted`, `halted`, `out_of_gas`, `flooded`: caused by the contract; every node gives the same result
 */
export type RpcNodeErrorKind =
  | 'unavailable'
  | 'too_heavy'
  | 'rejected'
  | 'no_multicall'
  | 'reverted'
  | 'halted'
  | 'out_of_gas'
  | 'flooded';

/** The end of one HTTP request to a node. */
export type NodeCallOutcome = 'answered' | RpcNodeErrorKind;

/** Facts about the node itself that come with an error. */
export interface RpcNodeErrorDetails {
  /** The request timed out. */
  readonly timedOut?: boolean;
  /** The caller aborted the request before its timeout; the node's health is not affected. */
  readonly aborted?: boolean;
  /** Milliseconds to wait before the next request, as the node demands. */
  readonly retryAfterMs?: number;
  /** The node is on another chain, stuck or lagging: its results do not count, and a retry does not help. */
  readonly excluded?: boolean;
  /** Set for an error that the node answered with: whether no list knows it, neither as the node's fault nor the contract's. */
  readonly unexplained?: boolean;
  /** The node gave revert data or a reason for the revert. */
  readonly hasReason?: boolean;
  /** The node does not have the block, or not its state, that the request names. */
  readonly blockMissing?: boolean;
  /** The node executed another call after it got this one, so its health is not affected. */
  readonly alive?: boolean;
  /** The status of an HTTP response other than 2xx. */
  readonly httpStatus?: number;
}

/** Why a node gave no result. Messages may be shown to callers, so they contain no URL, which may contain a key. */
export class RpcNodeError extends Error {
  override readonly name = 'RpcNodeError';

  constructor(
    readonly kind: RpcNodeErrorKind,
    message: string,
    readonly details: RpcNodeErrorDetails = {},
  ) {
    super(message);
  }
}

/** The failure of a node that does not have the block of earlier reads. Others may have it, so its health is not affected. */
export function createMissingBlockError(): RpcNodeError {
  return new RpcNodeError('unavailable', 'the block of the earlier reads is not available', {
    excluded: true,
    blockMissing: true,
  });
}

/** Whether the contract caused the error, so that it is a result of the call. */
export function isContractError({ kind }: RpcNodeError): boolean {
  return kind === 'reverted' || kind === 'halted' || kind === 'out_of_gas' || kind === 'flooded';
}

/** Whether the node is alive but this request exceeded its timeout; a smaller request may not. */
export function isExecutionTimeout({ kind, details }: RpcNodeError): boolean {
  return kind === 'too_heavy' && details.timedOut === true;
}

/**
 * Whether a live node, or a proxy in front of it, answered the request with an HTTP error. Callers choose what is read, and the
 * error may come from a part of it.
 */
export function isRefusedByLiveNode({ details: { alive, httpStatus } }: RpcNodeError): boolean {
  return alive === true && httpStatus !== undefined;
}

/** Maps an error that the HTTP client threw. */
export function toTransportError(error: unknown): RpcNodeError {
  if (error instanceof RpcNodeError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  return new RpcNodeError(
    'unavailable',
    `the node could not be reached (${typeof code === 'string' ? code : 'aborted'})`,
  );
}

/** Cooldown of a rate-limited node without a readable Retry-After. */
export const DEFAULT_RETRY_AFTER_MS = 1_000;
/** The longest wait that a node may demand; longer demands are cut to it. */
const MAX_RETRY_AFTER_MS = 5 * MINUTE_MS;

/** Maps an HTTP status; undefined for success. `retryAfter` is the value of the Retry-After header. */
export function toHttpStatusError(status: number, retryAfter?: string): RpcNodeError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 413) return new RpcNodeError('too_heavy', 'the node refused a request of that size');
  const requestedMs = parseRetryAfter(retryAfter, Date.now());
  const defaultMs = status === 429 ? DEFAULT_RETRY_AFTER_MS : undefined;
  return new RpcNodeError('unavailable', `the node answered HTTP ${status}`, {
    retryAfterMs: requestedMs === undefined ? defaultMs : Math.min(requestedMs, MAX_RETRY_AFTER_MS),
    httpStatus: status,
  });
}
