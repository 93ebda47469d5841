import type { ReadResult } from '@app/chain/evm';
import type { ChainRead } from './chains/chain.service.js';
import type { NextStep, ReadPlan, ReadStep, ReadValue } from './rule-type.js';
import type { Verdict } from './verdict.js';

type OutcomesOf<Reads extends readonly ChainRead<ReadValue>[]> = {
  readonly [At in keyof Reads]: Reads[At] extends ChainRead<infer Value> ? ReadResult<Value> : never;
};

/**
 * Pairs reads with a judge that is typed by the result of each read.
 * @param sharedReadCount how many reads, at the beginning, do not depend on the addresses
 */
export function createReadPlan<const Reads extends readonly ChainRead<ReadValue>[]>(
  reads: Reads,
  judge: (outcomes: OutcomesOf<Reads>, isReused: boolean) => Verdict | NextStep,
  sharedReadCount = 0,
): ReadPlan {
  // The reader returns results in the order of the reads, each of the type of its read.
  return {
    reads,
    sharedReadCount,
    judge: (outcomes, isReused = false) => judge(outcomes as OutcomesOf<Reads>, isReused),
  };
}

/** Pairs the reads of a further round with a judge that is typed by the result of each read. */
export function createReadStep<const Reads extends readonly ChainRead<ReadValue>[]>(
  reads: Reads,
  judge: (outcomes: OutcomesOf<Reads>) => Verdict | NextStep,
): ReadStep {
  return { kind: 'read', reads, judge: (outcomes) => judge(outcomes as OutcomesOf<Reads>) };
}
