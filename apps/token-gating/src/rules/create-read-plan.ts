import type { ReadResult } from '@app/chain/evm';
import type { TokenGatingRule } from '@app/dto';
import type { ChainRead } from './chains/chain.service.js';
import type { ChainPart, NextStep, ReadPlan, ReadStep, ReadValue } from './rule-type.js';
import { type Verdict, toUndetermined } from './verdict.js';
import { toBounds, judgeBalances, sumBalances, preferTransientFailure } from './judge-quantity.js';

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

/** Reads of one chain. */
export interface ChainReads<Value extends ReadValue> {
  readonly chainId: number;
  readonly reads: readonly ChainRead<Value>[];
}

/** A plan for reads of several chains. @param judge expects the results of all chains, in order */
export function createMultiChainReadPlan<Value extends ReadValue>(
  chains: readonly ChainReads<Value>[],
  judge: (outcomes: readonly ReadResult<Value>[]) => Verdict | NextStep,
): ReadPlan {
  return { ...createReadPlan(joinReads(chains), judge), parts: toParts(chains) };
}

/** A further round of reads of several chains. @param judge expects the results of all chains, in order */
export function createMultiChainReadStep<Value extends ReadValue>(
  chains: readonly ChainReads<Value>[],
  judge: (outcomes: readonly ReadResult<Value>[]) => Verdict | NextStep,
): ReadStep {
  return { ...createReadStep(joinReads(chains), judge), parts: toParts(chains) };
}

const joinReads = <Value extends ReadValue>(chains: readonly ChainReads<Value>[]): ChainRead<Value>[] =>
  chains.flatMap(({ reads }) => reads);

function toParts(chains: readonly ChainReads<ReadValue>[]): ChainPart[] {
  let start = 0;
  return chains.map(({ chainId, reads }) => ({ chainId, start, end: (start += reads.length) }));
}

/** The plan of a rule about a token with decimals: the sum of the balances is within the rule's thresholds. */
export function planFungibleReads(
  rule: Pick<TokenGatingRule, 'minToken' | 'maxToken'>,
  decimals: ChainRead<number>,
  balances: readonly ChainRead<bigint>[],
): ReadPlan {
  return createReadPlan(
    [decimals, ...balances],
    ([decimals, ...held]) => {
      if (decimals.ok) return judgeBalances(held, toBounds(rule, decimals.value));
      return toUndetermined(preferTransientFailure(sumBalances(held).unread?.failure, decimals));
    },
    1,
  );
}
