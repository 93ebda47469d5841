import { isMissingFunctionReason, isMissingFunctionRevert } from '../../reads/evm/abi-codec.js';
import { DEFAULT_RETRY_AFTER_MS, RpcNodeError } from '../rpc-node-error.js';
import type { JsonRpcErrorObject } from './json-rpc-client.js';

const REVERTED_PATTERN =
  /^(vm )?execution reverted|^reverted|^vm execution error|^vm exception while processing transaction: revert/i;
/** Nethermind writes `Reverted ` before the data. */
const REVERT_DATA_PATTERN = /^(Reverted )?0x[0-9a-f]{2}/i;
const REVERT_PREFIX_PATTERN = /^(Reverted )?0x/i;
/** A reason as geth and Hardhat write it. */
const REASON_PATTERN = /reverted: \S|reverted with (reason|custom error)/i;
const OUT_OF_GAS_PATTERN = /\bout ?of ?gas\b|\bgas required exceeds allowance\b/i;
/** revm's MemoryOOG, PrecompileOOG …; case-sensitive, because a URL in a message may contain "google". */
const OUT_OF_GAS_CODE_PATTERN = /OOG\b/;
const TOO_HEAVY_PATTERN =
  /\b(response|result|reply|request|body|content|data)( size)? (is |was )?(too (large|big)|exceed(s|ed)?)\b|\bsize (limit )?exceed|\btoo large\b|\blength \d+ exceeding limit\b|\bexecution (aborted|timeout|timed out)\b/i;
/** Matched before the patterns below, because messages about a provider's plan contain their words too. */
const RATE_LIMITED_PATTERN =
  /rate.?limit|too many requests|request (count|limit|rate)|rate exceeded|compute units|\bquota\b|^limit exceeded/i;
/** Exceptional halts other than out of gas, as geth and Erigon, Nethermind and OpenEthereum name them. */
const HALTED_PATTERN = new RegExp(
  [
    'invalid ?(fe)? ?op ?code|(bad|invalid) ?(jump|instruction)|stack ?(under|over)flow|stack limit reached|out of stack',
    'return data out of bounds|access ?violation|write protection|static ?call ?violation|max call depth exceeded',
    'insufficient balance for transfer|not ?enough ?balance|(gas|nonce) uint64 overflow|precompile ?(error|failure)',
    '(address|transaction) ?collision|max (code|init ?code) size exceeded|invalid ?code: must not begin|^InvalidCode$',
  ].join('|'),
  'i',
);
/** revm names any other halt in one word; its FatalExternalError is a failure of the node's database. */
const REVM_HALTED_PATTERN = /^EVM error:? (?!Fatal)[A-Z][A-Za-z]+(\(|$)/;
/** Failures of the node, known by their code or their message, that a contract cannot cause. */
const NODE_FAULT_CODES: ReadonlySet<number> = new Set([-32700, -32601, -32600]);
const NODE_FAULT_PATTERN = /\b(unauthorized|forbidden|api key|upstream|unavailable)\b|^EVM error:? Fatal/i;

/** The block that the request names, or its state. */
const MISSING_BLOCK_PATTERN =
  /\b(header|block) not found\b|\bunknown block\b|\bBlockOutOfRange|\bmissing trie node\b|\bstate\b.* (not available|unavailable|pruned|missing|pruning)\b/i;

/** Maps the error object of a JSON-RPC response. What no list knows is `unexplained`: NodeHealth finds out whose fault it is. */
export function toJsonRpcError({ code, message, data = '' }: JsonRpcErrorObject): RpcNodeError {
  // Reverts are recognised first, because the message of a revert ends with a reason that the contract chooses.
  if (code === 3 || REVERTED_PATTERN.test(message))
    return new RpcNodeError('reverted', 'the call reverted', {
      hasReason:
        (REVERT_DATA_PATTERN.test(data) || REASON_PATTERN.test(message)) &&
        !isMissingFunctionReason(message) &&
        !isMissingFunctionRevert(data.replace(REVERT_PREFIX_PATTERN, '')),
    });
  if (code === -32005 || code === 429 || RATE_LIMITED_PATTERN.test(message))
    return new RpcNodeError('unavailable', `the node answered with error ${code}`, {
      retryAfterMs: DEFAULT_RETRY_AFTER_MS,
    });
  if (OUT_OF_GAS_PATTERN.test(message) || OUT_OF_GAS_CODE_PATTERN.test(message))
    return new RpcNodeError('out_of_gas', 'the call ran out of gas');
  if (HALTED_PATTERN.test(message) || REVM_HALTED_PATTERN.test(message))
    return new RpcNodeError('halted', 'the call was halted');
  if (TOO_HEAVY_PATTERN.test(message))
    return new RpcNodeError('too_heavy', 'the answer was too large or took too long');
  if (MISSING_BLOCK_PATTERN.test(message))
    return new RpcNodeError('unavailable', `the node answered with error ${code}`, {
      unexplained: false,
      blockMissing: true,
    });
  const unexplained = !NODE_FAULT_CODES.has(code) && !NODE_FAULT_PATTERN.test(message);
  return new RpcNodeError('unavailable', `the node answered with error ${code}`, { unexplained });
}
