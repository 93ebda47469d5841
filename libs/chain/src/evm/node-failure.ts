/**
 * - `unavailable`: nothing is known: refused, timed out, rate limited, not JSON, wrong chain …; another node may do better
 * - `too_heavy`: the node could not do the whole of it: a smaller request may do better
 * - `no_multicall`: there is no Multicall3 where the node was asked for it
 * - `reverted`, `halted`, `out_of_gas`, `flooded`: the contract's doing; another node says the same
 */
export type NodeFailureKind =
  'unavailable' | 'too_heavy' | 'no_multicall' | 'reverted' | 'halted' | 'out_of_gas' | 'flooded';

/** What follows for the node itself. */
export interface NodeConduct {
  /** It let its time-out pass. */
  readonly timedOut?: boolean;
  /** Whoever asked gave up before its time was over: not held against it. */
  readonly abandoned?: boolean;
  /** Milliseconds that it wants to be left alone for. */
  readonly restMs?: number;
  /** It is on another chain, or behind its own: no answer of it counts, and asking again does not help. */
  readonly excluded?: boolean;
}

/** Why a node gave no answer. Messages may be shown to callers, so they never name a URL, which may hold a key. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure';

  constructor(
    readonly kind: NodeFailureKind,
    message: string,
    readonly conduct: NodeConduct = {},
  ) {
    super(message);
  }
}

/** Whether it tells of the contract and not of the node: an answer of its kind. */
export function isContractsDoing({ kind }: NodeFailure): boolean {
  return kind === 'reverted' || kind === 'halted' || kind === 'out_of_gas' || kind === 'flooded';
}

/** Whether the node lives and just this question took it longer than it may: a smaller one may not. */
export function isTooLong({ kind, conduct }: NodeFailure): boolean {
  return kind === 'too_heavy' && conduct.timedOut === true;
}

interface NodeError {
  readonly code: number;
  readonly message: string;
}

const reverted =
  /^(vm )?execution reverted|^reverted|^vm execution error|^vm exception while processing transaction: revert/i;
const outOfGas = /\bout ?of ?gas\b|\bgas required exceeds allowance\b/i;
/** revm's MemoryOOG, PrecompileOOG …; in capitals, because a URL may say google. */
const outOfGasShort = /OOG\b/;
const tooHeavy =
  /\b(response|result|reply|request|body|content|data)( size)? (is |was )?(too (large|big)|exceed(s|ed)?)\b|\bsize (limit )?exceed|\btoo large\b|\blength \d+ exceeding limit\b|\bexecution (aborted|timeout|timed out)\b/i;
/** Said of a caller's plan: before anything that a plan's words may look like. */
const rateLimited =
  /rate.?limit|too many requests|request (count|limit|rate)|rate exceeded|compute units|\bquota\b|^limit exceeded/i;
/** Exceptional halts other than lack of gas: what `throw` and `assert` of old compilers did. */
const halted =
  /invalid ?(fe)? ?op ?code|InvalidFEOpcode|OpcodeNotFound|(bad|invalid) ?jump|stack ?(under|over)flow|bad instruction/i;

/** The one place that says what a JSON-RPC error means. Whatever it does not know is the node's failure, not the contract's. */
export function failureOfNodeError({ code, message }: NodeError): NodeFailure {
  // Before the text is searched: a contract chooses the reason that stands in the text of its revert.
  if (code === 3 || reverted.test(message)) return new NodeFailure('reverted', 'the call reverted');
  if (code === -32005 || code === 429 || rateLimited.test(message))
    return new NodeFailure('unavailable', `the node answered with error ${code}`, { restMs: defaultRestMs });
  if (outOfGas.test(message) || outOfGasShort.test(message))
    return new NodeFailure('out_of_gas', 'the call ran out of gas');
  if (halted.test(message)) return new NodeFailure('halted', 'the call was halted');
  if (tooHeavy.test(message))
    return new NodeFailure('too_heavy', 'the answer was too large or took too long');
  return new NodeFailure('unavailable', `the node answered with error ${code}`);
}

/** The one place that says what a thrown transport error means. */
export function failureOfTransportError(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  return new NodeFailure(
    'unavailable',
    `the node could not be reached (${typeof code === 'string' ? code : 'aborted'})`,
  );
}

/** What an overloaded node that does not say how long is left alone for. */
const defaultRestMs = 1_000;
/** A node that asks for more is asked again after this all the same. */
const mostRestMs = 300_000;

/** The one place that says what an HTTP status means; undefined for success. `retryAfter` is the header of that name. */
export function failureOfStatus(status: number, retryAfter?: string): NodeFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 413) return new NodeFailure('too_heavy', 'the node refused a request of that size');
  const asked = retryAfter === undefined ? undefined : restMsOf(retryAfter);
  const restMs = asked ?? (status === 429 ? defaultRestMs : undefined);
  return new NodeFailure('unavailable', `the node answered HTTP ${status}`, { restMs });
}

/** RFC 9110 section 10.2.3: seconds or a date. */
function restMsOf(retryAfter: string): number | undefined {
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), mostRestMs);
}
