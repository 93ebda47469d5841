import type { ChainInfo, ReadResult, ContractRead } from '@app/chain/evm';
import type { EvmAddress, TokenGatingRule } from '@app/dto';
import type { Resolved } from './resolved-rule.js';
import type { Verdict } from './verdict.js';

/** What the reads of rules answer. */
export type ReadValue = bigint | number | EvmAddress | null;

/** What to read for one rule, and what to make of the outcomes. */
export interface ReadPlan {
  readonly reads: readonly ContractRead<ReadValue>[];
  /** How many of them, at the beginning, are the same whoever the holders are. */
  readonly sharedReadCount: number;
  /**
   * Expects one outcome per read, in order.
   * @param areKept the very same outcomes are judged for other holders, too: worth an index
   */
  judge(outcomes: readonly ReadResult<ReadValue>[], areKept?: boolean): Verdict;
}

/** One type of rule. Adding one: a file here with its schema in libs/dto, and its line in the registry. */
export interface RuleType<R extends TokenGatingRule = TokenGatingRule> {
  readonly type: R['type'];
  /** How many reads `plan` would make for so many holders, told without making them. */
  countReads(rule: Resolved<R>, holders: number): number;
  /** What all holders have together counts. @param holders at least one, each once, in lower case */
  planReads(rule: Resolved<R>, holders: readonly EvmAddress[], chain: ChainInfo): ReadPlan;
}
