import type { ReadResult } from '@app/chain/evm';
import type { EvmAddress, TokenGatingRule } from '@app/dto';
import type { Chain, ChainRead } from './chains/chain.service.js';
import type { Resolved } from './resolved-rule.js';
import type { Verdict } from './verdict.js';

/** Values that the reads of rules return. */
export type ReadValue = bigint | number | EvmAddress | null;

/** The reads of one rule and the function that judges their results. */
export interface ReadPlan {
  readonly reads: readonly ChainRead<ReadValue>[];
  /** How many reads, at the beginning, do not depend on the addresses. */
  readonly sharedReadCount: number;
  /**
   * Expects one result per read, in order.
   * @param isReused whether the same results are judged for other addresses too, so that an index pays off
   */
  judge(outcomes: readonly ReadResult<ReadValue>[], isReused?: boolean): Verdict;
}

/** One type of rule. A new type needs a file here, a schema in libs/dto and a line in the registry. */
export interface RuleType<R extends TokenGatingRule = TokenGatingRule> {
  readonly type: R['type'];
  /** The number of reads that `planReads` would return, without planning them. */
  countReads(rule: Resolved<R>, addressCount: number): number;
  /** The addresses' holdings are summed. @param addresses at least one, distinct, of EVM chains in lower case */
  planReads(rule: Resolved<R>, addresses: readonly string[], chain: Chain): ReadPlan;
}
