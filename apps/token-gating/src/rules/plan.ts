import type { Outcome, Read } from '@app/chain/evm';
import type { Plan, ReadValue } from './rule-type.js';
import type { Verdict } from './verdict.js';

type OutcomesOf<Reads extends readonly Read<ReadValue>[]> = {
  readonly [At in keyof Reads]: Reads[At] extends Read<infer Value> ? Outcome<Value> : never;
};

/** Pairs reads, of which the first `shared` do not depend on the holders, with their judge, which then knows the type of each outcome. */
export function plan<const Reads extends readonly Read<ReadValue>[]>(
  reads: Reads,
  judge: (outcomes: OutcomesOf<Reads>, areKept: boolean) => Verdict,
  shared = 0,
): Plan {
  // The reader answers every read with an outcome of that read's own type, in order.
  return {
    reads,
    shared,
    judge: (outcomes, areKept = false) => judge(outcomes as OutcomesOf<Reads>, areKept),
  };
}
