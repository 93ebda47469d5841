import { type ReadCall } from './aggregate.js';
import { type CallOptions, type ChainCalls } from './contract-calls.js';
import { isTooLong, NodeFailure } from './node-failure.js';
import { type RawAnswer, unavailable } from './raw-answer.js';
import { readFailure } from './read-failure.js';

/** What no honest answer to a read comes near, in hex digits. */
const floodDigits = 8_192;

/** What a read would have done to others in the same batch. */
export type Harm = 'burned the gas' | 'flooded the answer' | 'took the time';

export interface LoneAnswer {
  readonly answer: RawAnswer;
  readonly harm?: Harm;
}

export function isFlood(data: string): boolean {
  return data.length > floodDigits;
}

interface LoneContext {
  readonly contracts: ChainCalls;
  readonly signal: AbortSignal;
}

/**
 * Reads one call by itself, where it can hurt no other. Never rejects for a node's failure. A question that got lost on its
 * way looks like one that takes too long: it is asked once more, unless it is a brisk one, which is a second one already.
 */
export async function readAlone(
  read: ReadCall,
  context: LoneContext,
  options: CallOptions = {},
): Promise<LoneAnswer> {
  const first = await readOnce(read, context, options);
  return first === tooLong && !options.brisk ? readOnce(read, context, { ...options, brisk: true }) : first;
}

async function readOnce(
  read: ReadCall,
  { contracts, signal }: LoneContext,
  options: CallOptions,
): Promise<LoneAnswer> {
  try {
    const data = await contracts.direct(read, signal, options);
    return { answer: { kind: 'data', data }, ...(isFlood(data) ? { harm: 'flooded the answer' } : {}) };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    return answerOf(error);
  }
}

function answerOf(failure: NodeFailure): LoneAnswer {
  const { kind, message } = failure;
  switch (kind) {
    // A plain revert gives back the gas that it did not need.
    case 'reverted':
      return { answer: { kind: 'reverted' } };
    case 'halted':
      return { answer: { kind: 'reverted' }, harm: 'burned the gas' };
    case 'out_of_gas':
      return {
        answer: { kind: 'failed', failure: readFailure('out_of_gas', message) },
        harm: 'burned the gas',
      };
    case 'flooded':
      return {
        answer: { kind: 'failed', failure: readFailure('malformed_answer', message) },
        harm: 'flooded the answer',
      };
    case 'too_heavy':
      if (isTooLong(failure)) return tooLong;
      // Too heavy even alone: a flooding contract or a flooding node, nobody can say which, so the answer is held against nobody.
      return { answer: unavailable(message), harm: 'flooded the answer' };
    default:
      return { answer: unavailable(message) };
  }
}

/** Another node, or the same one at another time, may be quicker. */
const tooLong: LoneAnswer = {
  answer: { kind: 'failed', failure: readFailure('timeout', 'the contract takes the node too long') },
  harm: 'took the time',
};
