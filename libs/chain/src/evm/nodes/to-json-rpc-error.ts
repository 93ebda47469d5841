import { DEFAULT_RETRY_AFTER_MS, RpcNodeError } from '../../shared/rpc-node-error.js';

interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
}

const REVERTED_PATTERN =
  /^(vm )?execution reverted|^reverted|^vm execution error|^vm exception while processing transaction: revert/i;
const OUT_OF_GAS_PATTERN = /\bout ?of ?gas\b|\bgas required exceeds allowance\b/i;
/** revm's MemoryOOG, PrecompileOOG …; case-sensitive, because a URL in a message may contain "google". */
const OUT_OF_GAS_CODE_PATTERN = /OOG\b/;
const TOO_HEAVY_PATTERN =
  /\b(response|result|reply|request|body|content|data)( size)? (is |was )?(too (large|big)|exceed(s|ed)?)\b|\bsize (limit )?exceed|\btoo large\b|\blength \d+ exceeding limit\b|\bexecution (aborted|timeout|timed out)\b/i;
/** Matched before the patterns below, because messages about a provider's plan contain their words too. */
const RATE_LIMITED_PATTERN =
  /rate.?limit|too many requests|request (count|limit|rate)|rate exceeded|compute units|\bquota\b|^limit exceeded/i;
/** Exceptional halts other than out of gas: `throw` and `assert` of old compilers. */
const HALTED_PATTERN =
  /invalid ?(fe)? ?op ?code|InvalidFEOpcode|OpcodeNotFound|(bad|invalid) ?jump|stack ?(under|over)flow|bad instruction/i;

/** Maps the error object of a JSON-RPC response. Unknown errors count as the node's failure, not as the contract's. */
export function toJsonRpcError({ code, message }: JsonRpcErrorObject): RpcNodeError {
  // First, because the message of a revert ends with a reason that the contract chooses.
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
