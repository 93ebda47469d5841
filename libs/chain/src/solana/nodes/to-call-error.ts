import {
  createMissingBlockError,
  DEFAULT_RETRY_AFTER_MS,
  RpcNodeError,
} from '../../shared/rpc-node-error.js';
import { type JsonRpcError } from './json-rpc-batch-client.js';

const INVALID_PARAMS = -32_602;
const NO_MINT_PATTERN = /could not find mint|not a Token mint|Token mint could not be unpacked/i;
const RATE_LIMITED_PATTERN = /rate.?limit|too many requests|\bquota\b/i;
/** The node lags behind the cluster or starts up (https://solana.com/docs/rpc, JSON-RPC error codes). */
const NODE_UNHEALTHY_CODES: readonly unknown[] = [-32_004, -32_005, -32_014];
const MIN_CONTEXT_SLOT_NOT_REACHED = -32_016;

/** What the error response to one call means. */
export type CallError =
  /** Every node answers like this. */
  | { readonly kind: 'no_mint' }
  /** Another node may answer this call: its index is missing here, or the method is. */
  | { readonly kind: 'call_failed' }
  /** The node as a whole. */
  | { readonly kind: 'node_failed'; readonly error: RpcNodeError };

export function toCallError({ code, message }: JsonRpcError): CallError {
  // Callers choose the parameters, so these errors are never the node's.
  if (code === INVALID_PARAMS) return { kind: NO_MINT_PATTERN.test(message) ? 'no_mint' : 'call_failed' };
  if (code === 429 || code === -32_429 || RATE_LIMITED_PATTERN.test(message))
    return failNode(`the node answered with error ${code}`, DEFAULT_RETRY_AFTER_MS);
  if (code === MIN_CONTEXT_SLOT_NOT_REACHED) return { kind: 'node_failed', error: createMissingBlockError() };
  if (NODE_UNHEALTHY_CODES.includes(code)) return failNode(`the node answered with error ${code}`);
  return { kind: 'call_failed' };
}

function failNode(message: string, retryAfterMs?: number): CallError {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { kind: 'node_failed', error: new RpcNodeError('unavailable', message, details) };
}
