import type { ReadCall } from '../../reads/evm/contract-read.js';
import type { EthCallOptions, EthCallClient } from '../../call/evm/eth-call-client.js';
import { isExecutionTimeout, isRefusedByLiveNode, RpcNodeError } from '../../node/rpc-node-error.js';
import {
  type CallResult,
  createUnavailableResult,
  toUnavailableResult,
  createReadFailure,
} from '../../reads/read-result.js';

/** Hex digits; the return data of a well-behaved contract is far shorter. */
const MAX_RETURN_DATA_DIGITS = 8_192;

/** The way in which a read makes other reads of the same batch fail. */
export type MisbehaviorEvidence =
  | 'gas_exhausted'
  /** The node told more than the contract may answer, so the node itself is in order. */
  | 'answer_too_long'
  /** The node refused to tell what the contract answers. */
  | 'response_too_large'
  | 'execution_timeout'
  | 'call_rejected';

interface SingleCallResult {
  readonly result: CallResult;
  readonly evidence?: MisbehaviorEvidence;
}

export function isOversizedReturnData(data: string): boolean {
  return data.length > MAX_RETURN_DATA_DIGITS;
}

interface SingleCallContext {
  readonly ethCallClient: EthCallClient;
  readonly signal: AbortSignal;
}

/**
 * Sends one read in a call of its own, where it cannot affect others. Never rejects for a node's failure. A lost request
 * looks like one that exceeds its timeout, so an execution timeout is retried once, with the short timeout; a read that
 * begins with the short timeout has been tried before and is not retried.
 */
export async function readSingleCall(
  read: ReadCall,
  context: SingleCallContext,
  options: EthCallOptions = {},
): Promise<SingleCallResult> {
  const first = await sendOnce(read, context, options);
  return first === executionTimeoutResult && !options.shortTimeout
    ? sendOnce(read, context, { ...options, shortTimeout: true })
    : first;
}

async function sendOnce(
  read: ReadCall,
  { ethCallClient, signal }: SingleCallContext,
  options: EthCallOptions,
): Promise<SingleCallResult> {
  try {
    const data = await ethCallClient.call(read, signal, options);
    return {
      result: { kind: 'data', data, blockNumber: options.pinnedBlock },
      ...(isOversizedReturnData(data) && !read.isLarge ? { evidence: 'answer_too_long' } : {}),
    };
  } catch (error) {
    if (!(error instanceof RpcNodeError)) throw error;
    return toSingleCallResult(error, options.pinnedBlock);
  }
}

function toSingleCallResult(error: RpcNodeError, pinnedBlock: bigint | undefined): SingleCallResult {
  const { kind, message } = error;
  switch (kind) {
    // No evidence: a plain revert returns the unused gas.
    case 'reverted':
      return { result: { kind: 'reverted', isBare: error.details.hasReason !== true } };
    case 'halted':
      return { result: { kind: 'reverted', isBare: true }, evidence: 'gas_exhausted' };
    case 'out_of_gas':
      return {
        result: { kind: 'failed', failure: createReadFailure('out_of_gas', message) },
        evidence: 'gas_exhausted',
      };
    case 'flooded':
      return {
        result: { kind: 'failed', failure: createReadFailure('malformed_answer', message) },
        evidence: 'answer_too_long',
      };
    case 'rejected':
      // Transient, because an error that no list knows does not say that the contract reverted.
      return { result: createUnavailableResult(message), evidence: 'call_rejected' };
    case 'too_heavy':
      if (isExecutionTimeout(error)) return executionTimeoutResult;
      // Too large even alone: the contract or the node may be the cause, so the failure stays transient.
      return { result: createUnavailableResult(message), evidence: 'response_too_large' };
    default:
      return {
        result: toUnavailableResult(error, pinnedBlock),
        ...(isRefusedByLiveNode(error) ? { evidence: 'call_rejected' } : {}),
      };
  }
}

/** Transient, because another node, or the same one later, may be faster. */
const executionTimeoutResult: SingleCallResult = {
  result: {
    kind: 'failed',
    failure: createReadFailure('timeout', 'the contract call took longer than the timeout'),
  },
  evidence: 'execution_timeout',
};
