import type { Delegation, DelegationInbox, PoapDetails, ReadResult } from '@app/chain/evm';
import type { SolanaNft } from '@app/chain/solana';
import { isTokenIdList, type TokenGatingRule, type TokenIdList, type TokenIds } from '@app/dto';
import type { MetadataFetchBudget } from '../metadata/metadata-failure.js';
import type { Chain, ChainRead } from './chains/chain.service.js';
import type { RuleServices } from './rule-services.js';
import type { Verdict } from './verdict.js';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';

/** A rule whose token list, if any, is replaced by its ids. */
export type Resolved<R extends TokenGatingRule> = R extends { readonly type: 'ERC721' | 'ERC1155' }
  ? Omit<R, 'tokenId'> & { tokenId: Exclude<R['tokenId'], TokenIdList> }
  : R;

export type ResolvedRule = Resolved<TokenGatingRule>;

/** The token list of a rule; undefined when there is nothing to fetch. */
export function getTokenList(rule: TokenGatingRule): TokenIdList | undefined {
  if (rule.type !== 'ERC721' && rule.type !== 'ERC1155') return undefined;
  const { tokenId } = rule;
  return tokenId && isTokenIdList(tokenId) ? tokenId : undefined;
}

/** @param ids the ids of the rule's token list; undefined when it has none */
export function resolveTokenIds(rule: TokenGatingRule, ids: TokenIds | undefined): ResolvedRule {
  return ids ? ({ ...rule, tokenId: ids } as ResolvedRule) : (rule as ResolvedRule);
}

/** The id of no chain. */
const NO_CHAIN = 0;

/** The chain that the reads of a rule are of; 0 for rules that read no chain, or several. */
export const getReadChainId = (rule: TokenGatingRule): number =>
  rule.type === 'OPEN_SEA' ? NO_CHAIN : (rule.chainId ?? NO_CHAIN);

export const readsChain = (rule: TokenGatingRule): boolean => getReadChainId(rule) !== NO_CHAIN;

/** Values that the reads of rules return. */
export type ReadValue =
  | bigint
  | boolean
  | number
  | string
  | readonly string[]
  | DelegationInbox
  | readonly Delegation[]
  | PoapDetails
  | SolanaNft
  | readonly SolanaNft[]
  | null;

/** What a judgement needs before it can be a verdict. */
export type NextStep = ReadStep | LoadStep;

/** Consecutive reads of one chain, by their positions. */
export interface ChainPart {
  readonly chainId: number;
  readonly start: number;
  readonly end: number;
}

/** A further round of reads of the rule's chains, at their blocks of the first round (on Solana at its slot or a later one). */
export interface ReadStep {
  readonly kind: 'read';
  readonly reads: readonly ChainRead<ReadValue>[];
  /** All reads by chain, in order; undefined when they are of the rule's chain. */
  readonly parts?: readonly ChainPart[] | undefined;
  /** Whether the reads are of the newest block, because nothing that is held is compared with them. */
  readonly isUnpinned?: boolean;
  /** Expects one result per read, in order. */
  readonly judge: (outcomes: readonly ReadResult<ReadValue>[]) => Verdict | NextStep;
}

/** Work outside the chain. It bounds what all rules load at the same time itself. */
export interface LoadStep {
  readonly kind: 'load';
  /** Rejects only on an internal error, and resolves soon after the signal aborts. */
  readonly load: (context: LoadContext) => Promise<Verdict | NextStep>;
}

export const isNextStep = (judgement: Verdict | NextStep): judgement is NextStep =>
  judgement.kind === 'read' || judgement.kind === 'load';

export interface LoadContext {
  readonly signal: AbortSignal;
  /** The tenant whose share of what rules have in common the rule takes. */
  readonly tenantId: string;
  readonly lane: 'foreground' | 'background';
  /** The budget of the whole request; in the background, of the rule for one member. */
  readonly fetchBudget: MetadataFetchBudget;
}

/**
 * The first reads of one rule and the function that judges their results. Rules that need no further step are judged without
 * waiting.
 */
export interface ReadPlan {
  readonly reads: readonly ChainRead<ReadValue>[];
  /** All reads by chain, in order; undefined when they are of the rule's chain. */
  readonly parts?: readonly ChainPart[] | undefined;
  /** Further steps after which the plan must have judged; undefined: those of a rule of any type. */
  readonly maxSteps?: number | undefined;
  /** How many reads, at the beginning, do not depend on the addresses; 0 where there are `parts`. */
  readonly sharedReadCount: number;
  /**
   * Expects one result per read, in order. A pure function: it may be called again for the same results.
   * @param isReused whether the same results are judged for other addresses too, so that an index pays off
   */
  judge(outcomes: readonly ReadResult<ReadValue>[], isReused?: boolean): Verdict | NextStep;
}

/** Why a deployment cannot check a rule: the field and what is missing. */
export interface RuleProblem {
  readonly field: 'chainId' | 'collectionName' | 'type';
  readonly message: string;
}

interface AnyRuleType<R extends TokenGatingRule> {
  readonly type: R['type'];
  /** The number of reads of the first round, without planning them; the maximum where the chains decide. */
  countReads(rule: Resolved<R>, addressCount: number): number;
  /** What the configuration lacks for a rule; undefined for most types. Rules with a problem are rejected. */
  findProblem?(rule: R, services: RuleServices): RuleProblem | undefined;
}

/** What one address holds, in base units; undefined where that is not known. */
export type AddressAmount = bigint | undefined;

/** A type of rule. A new type needs a file here, a schema in libs/dto and a line in the registry. */
export interface RuleType<R extends TokenGatingRule = TokenGatingRule> extends AnyRuleType<R> {
  /** The addresses' holdings are summed. @param addresses at least one, distinct, of EVM chains in lower case */
  planReads(rule: Resolved<R>, addresses: readonly string[], chain: Chain, services: RuleServices): ReadPlan;
  /**
   * What each address holds by the results of the first reads, in order. Undefined where these do not tell, as for types that count
   * a token once for all addresses. Called for explanations only.
   */
  listAmounts?(
    rule: R,
    addresses: readonly string[],
    outcomes: readonly ReadResult<ReadValue>[],
  ): readonly AddressAmount[] | undefined;
}

/** A type of rule whose holdings are on several chains, or listed outside of them. */
export interface MultiChainRuleType<R extends TokenGatingRule = TokenGatingRule> extends AnyRuleType<R> {
  /** The reads are of the chains that the plan names. */
  planSubject(rule: Resolved<R>, subject: SubjectAddresses, services: RuleServices): ReadPlan;
}
