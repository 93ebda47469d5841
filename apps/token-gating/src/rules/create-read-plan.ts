import type { ReadResult, ContractRead } from '@app/chain/evm';
import type { ReadPlan, ReadValue } from './rule-type.js';
import type { Verdict } from './verdict.js';

type OutcomesOf<Reads extends readonly ContractRead<ReadValue>[]> = {
  readonly [At in keyof Reads]: Reads[At] extends ContractRead<infer Value> ? ReadResult<Value> : never;
};

/** Pairs reads, of which the first `shared` do not depend on the holders, with their judge, which then knows the type of each outcome. */
export function createReadPlan<const Reads extends readonly ContractRead<ReadValue>[]>(
  reads: Reads,
  judge: (outcomes: OutcomesOf<Reads>, areKept: boolean) => Verdict,
  shared = 0,
): ReadPlan {
  // The reader answers every read with an outcome of that read's own type, in order.
  return {
    reads,
    sharedReadCount: shared,
    judge: (outcomes, areKept = false) => judge(outcomes as OutcomesOf<Reads>, areKept),
  };
}
