import { type ReadCall } from '../nodes/aggregate-request.js';
import { type EthCallOptions, type EthCallClient } from '../nodes/eth-call-client.js';
import { isExecutionTimeout, RpcNodeError } from '../../shared/rpc-node-error.js';
import { type CallResult, createUnavailableResult } from '../../shared/call-result.js';
import { createReadFailure } from '../../shared/read-result.js';

/** What no honest answer to a read comes near, in hex digits. */
const MAX_RETURN_DATA_DIGITS = 8_192;

/** What a read would have done to others in the same batch. */
export type MisbehaviorEvidence = 'burned the gas' | 'flooded the answer' | 'took the time';

export interface SingleCallResult {
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
 * Reads one call by itself, where it can hurt no other. Never rejects for a node's failure. A question that got lost on its
 * way looks like one that takes too long: it is asked once more, unless it is a brisk one, which is a second one already.
 */
export async function readSingleCall(
  read: ReadCall,
  context: SingleCallContext,
  options: EthCallOptions = {},
): Promise<SingleCallResult> {
  const first = await readOnce(read, context, options);
  return first === executionTimeoutResult && !options.shortTimeout
    ? readOnce(read, context, { ...options, shortTimeout: true })
    : first;
}

async function readOnce(
  read: ReadCall,
  { ethCallClient, signal }: SingleCallContext,
  options: EthCallOptions,
): Promise<SingleCallResult> {
  try {
    const data = await ethCallClient.call(read, signal, options);
    return {
      result: { kind: 'data', data },
      ...(isOversizedReturnData(data) ? { evidence: 'flooded the answer' } : {}),
    };
  } catch (error) {
    if (!(error instanceof RpcNodeError)) throw error;
    return toSingleCallResult(error);
  }
}

function toSingleCallResult(failure: RpcNodeError): SingleCallResult {
  const { kind, message } = failure;
  switch (kind) {
    // A plain revert gives back the gas that it did not need.
    case 'reverted':
      return { result: { kind: 'reverted' } };
    case 'halted':
      return { result: { kind: 'reverted' }, evidence: 'burned the gas' };
    case 'out_of_gas':
      return {
        result: { kind: 'failed', failure: createReadFailure('out_of_gas', message) },
        evidence: 'burned the gas',
      };
    case 'flooded':
      return {
        result: { kind: 'failed', failure: createReadFailure('malformed_answer', message) },
        evidence: 'flooded the answer',
      };
    case 'too_heavy':
      if (isExecutionTimeout(failure)) return executionTimeoutResult;
      // Too heavy even alone: a flooding contract or a flooding node, nobody can say which, so the answer is held against nobody.
      return { result: createUnavailableResult(message), evidence: 'flooded the answer' };
    default:
      return { result: createUnavailableResult(message) };
  }
}

/** Another node, or the same one at another time, may be quicker. */
const executionTimeoutResult: SingleCallResult = {
  result: { kind: 'failed', failure: createReadFailure('timeout', 'the contract takes the node too long') },
  evidence: 'took the time',
};
