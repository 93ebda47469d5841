import { parseRetryAfter } from '@app/common';

/**
 * - `unavailable`: nothing is known: refused, timed out, rate limited, not JSON, wrong chain …; another node may do better
 * - `too_heavy`: the node could not do the whole of it: a smaller request may do better
 * - `no_multicall`: there is no Multicall3 where the node was asked for it
 * - `reverted`, `halted`, `out_of_gas`, `flooded`: the contract's doing; another node says the same
 */
export type RpcNodeErrorKind =
  'unavailable' | 'too_heavy' | 'no_multicall' | 'reverted' | 'halted' | 'out_of_gas' | 'flooded';

/** What follows for the node itself. */
export interface RpcNodeErrorDetails {
  /** It let its time-out pass. */
  readonly timedOut?: boolean;
  /** Whoever asked gave up before its time was over: not held against it. */
  readonly aborted?: boolean;
  /** Milliseconds that it wants to be left alone for. */
  readonly retryAfterMs?: number;
  /** It is on another chain, or behind its own: no answer of it counts, and asking again does not help. */
  readonly excluded?: boolean;
}

/** Why a node gave no answer. Messages may be shown to callers, so they never name a URL, which may hold a key. */
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

/** Whether it tells of the contract and not of the node: an answer of its kind. */
export function isContractError({ kind }: RpcNodeError): boolean {
  return kind === 'reverted' || kind === 'halted' || kind === 'out_of_gas' || kind === 'flooded';
}

/** Whether the node lives and just this question took it longer than it may: a smaller one may not. */
export function isExecutionTimeout({ kind, details }: RpcNodeError): boolean {
  return kind === 'too_heavy' && details.timedOut === true;
}

interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
}

const REVERTED_PATTERN =
  /^(vm )?execution reverted|^reverted|^vm execution error|^vm exception while processing transaction: revert/i;
const OUT_OF_GAS_PATTERN = /\bout ?of ?gas\b|\bgas required exceeds allowance\b/i;
/** revm's MemoryOOG, PrecompileOOG …; in capitals, because a URL may say google. */
const OUT_OF_GAS_CODE_PATTERN = /OOG\b/;
const TOO_HEAVY_PATTERN =
  /\b(response|result|reply|request|body|content|data)( size)? (is |was )?(too (large|big)|exceed(s|ed)?)\b|\bsize (limit )?exceed|\btoo large\b|\blength \d+ exceeding limit\b|\bexecution (aborted|timeout|timed out)\b/i;
/** Said of a caller's plan: before anything that a plan's words may look like. */
const RATE_LIMITED_PATTERN =
  /rate.?limit|too many requests|request (count|limit|rate)|rate exceeded|compute units|\bquota\b|^limit exceeded/i;
/** Exceptional halts other than lack of gas: what `throw` and `assert` of old compilers did. */
const HALTED_PATTERN =
  /invalid ?(fe)? ?op ?code|InvalidFEOpcode|OpcodeNotFound|(bad|invalid) ?jump|stack ?(under|over)flow|bad instruction/i;

/** The one place that says what a JSON-RPC error means. Whatever it does not know is the node's failure, not the contract's. */
export function toJsonRpcError({ code, message }: JsonRpcErrorObject): RpcNodeError {
  // Before the text is searched: a contract chooses the reason that stands in the text of its revert.
  if (code === 3 || REVERTED_PATTERN.test(message)) return new RpcNodeError('reverted', 'the call reverted');
  if (code === -32005 || code === 429 || RATE_LIMITED_PATTERN.test(message))
    return new RpcNodeError('unavailable', `the node answered with error ${code}`, {
      retryAfterMs: DEFAULT_RETRY_AFTER_MS,
    });
  if (OUT_OF_GAS_PATTERN.test(message) || OUT_OF_GAS_CODE_PATTERN.test(message))
    return new RpcNodeError('out_of_gas', 'the call ran out of gas');
  if (HALTED_PATTERN.test(message)) return new RpcNodeError('halted', 'the call was halted');
  if (TOO_HEAVY_PATTERN.test(message))
    return new RpcNodeError('too_heavy', 'the answer was too large or took too long');
  return new RpcNodeError('unavailable', `the node answered with error ${code}`);
}

/** The one place that says what a thrown transport error means. */
export function toTransportError(error: unknown): RpcNodeError {
  if (error instanceof RpcNodeError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  return new RpcNodeError(
    'unavailable',
    `the node could not be reached (${typeof code === 'string' ? code : 'aborted'})`,
  );
}

/** What an overloaded node that does not say how long is left alone for. */
const DEFAULT_RETRY_AFTER_MS = 1_000;
/** A node that asks for more is asked again after this all the same. */
const MAX_RETRY_AFTER_MS = 300_000;

/** The one place that says what an HTTP status means; undefined for success. `retryAfter` is the header of that name. */
export function toHttpStatusError(status: number, retryAfter?: string): RpcNodeError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 413) return new RpcNodeError('too_heavy', 'the node refused a request of that size');
  const requestedMs = parseRetryAfter(retryAfter, Date.now());
  const defaultMs = status === 429 ? DEFAULT_RETRY_AFTER_MS : undefined;
  return new RpcNodeError('unavailable', `the node answered HTTP ${status}`, {
    retryAfterMs: requestedMs === undefined ? defaultMs : Math.min(requestedMs, MAX_RETRY_AFTER_MS),
  });
}
