/**
 * - `unavailable`: nothing is known: refused, timed out, rate limited, not JSON, wrong chain …; another node may do better
 * - `too_heavy`: the node could not do the whole of it: a smaller request may do better
 * - `no_multicall`: there is no Multicall3 where the node was asked for it
 * - `reverted`, `out_of_gas`: the contract's doing; another node says the same
 */
export type NodeFailureKind = 'unavailable' | 'too_heavy' | 'no_multicall' | 'reverted' | 'out_of_gas';

/** Why a node gave no answer. Messages may be shown to callers, so they never name a URL, which may hold a key. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure';

  constructor(
    readonly kind: NodeFailureKind,
    message: string,
  ) {
    super(message);
  }
}

interface NodeError {
  readonly code: number;
  readonly message: string;
}

const reverted =
  /^(vm )?execution reverted|^reverted|^vm execution error|^vm exception while processing transaction: revert/i;
const outOfGas = /out ?of ?gas|OOG|gas required exceeds|exceeds allowance/i;
const tooHeavy =
  /too (large|big)|(size|response|result).* (exceed|limit)|exceed.* size|execution (aborted|timeout|timed out)/i;
/** Exceptional halts other than lack of gas: what `throw` and `assert` of old compilers did. */
const halted =
  /invalid ?(fe)? ?op ?code|InvalidFEOpcode|OpcodeNotFound|(bad|invalid) ?jump|stack ?(under|over)flow|bad instruction/i;

/** The one place that says what a JSON-RPC error means. Whatever it does not know is the node's failure, not the contract's. */
export function failureOfNodeError({ code, message }: NodeError): NodeFailure {
  // Before the text is searched: a contract chooses the reason that stands in the text of its revert.
  if (code === 3 || reverted.test(message)) return new NodeFailure('reverted', 'the call reverted');
  if (outOfGas.test(message)) return new NodeFailure('out_of_gas', 'the call ran out of gas');
  if (halted.test(message)) return new NodeFailure('reverted', 'the call was halted');
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

/** The one place that says what an HTTP status means; undefined for success. */
export function failureOfStatus(status: number): NodeFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 413) return new NodeFailure('too_heavy', 'the node refused a request of that size');
  return new NodeFailure('unavailable', `the node answered HTTP ${status}`);
}
