import { Database } from '@app/database';
import { type RoleRule, collectRules, MAX_WALLETS_PER_USER } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../../clients/identity-client.js';
import { loadMemberPage, type MemberCursor } from '../../../communities/members/community-members.queries.js';
import { loadMemberWallets, type MemberWallets } from '../../evaluation/load-member-wallets.js';
import { MemberEvaluationService } from '../../evaluation/member-evaluation.service.js';
import type { MemberVerdicts } from '../../evaluation/member-verdicts.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import type { RunningBalanceCheck } from '../balance-checks.queries.js';
import { MAX_READS } from '../../../checks/validate-rules.js';
import { isTokenListFailure, loadTokenLists, TokenListService } from '../../../checks/token-list.service.js';
import { computeMemberBatchSize } from '../../assignments/to-assignment-batches.js';
import { getRuleType } from '../../../rules/rule-type-registry.js';

/** Bounds the page of members that can be checked together by some rules. */
interface RuleCost {
  /** Reads per wallet, without those that all members share, such as decimals and owners of tokens. */
  readonly readsPerWallet: number;
  readonly maxMembers: number;
}

@Injectable()
export class RuleCostService {
  constructor(private readonly lists: TokenListService) {}

  async estimate(rules: readonly RoleRule[], tenantId: string): Promise<RuleCost> {
    const budget = { tenantId, addressCount: MAX_WALLETS_PER_USER, maxReads: MAX_READS };
    const loaded = await loadTokenLists(collectRules(rules), this.lists, budget);
    const readsPerWallet = loaded.reduce((sum, rule) => {
      if (isTokenListFailure(rule)) return sum;
      const { countReads } = getRuleType(rule);
      return sum + countReads(rule, 2) - countReads(rule, 1);
    }, 0);
    return { readsPerWallet, maxMembers: computeMemberBatchSize(rules) };
  }
}

/** Takes the first members whose reads fit a page, at least one. Runs after the wallets are loaded, which decide the cost. */
export function truncatePage<M extends { readonly wallets: readonly unknown[] }>(
  members: readonly M[],
  { readsPerWallet, maxReads }: { readonly readsPerWallet: number; readonly maxReads: number },
): readonly M[] {
  let reads = 0;
  const end = members.findIndex(({ wallets }, index) => {
    reads += wallets.length * readsPerWallet;
    return index > 0 && reads > maxReads;
  });
  return end < 0 ? members : members.slice(0, end);
}

/** Pages shrink to this fraction while nodes do not answer in time. */
const MAX_PAGE_REDUCTION = 4;

/** The rules of one turn, with their cost. */
export interface TurnRules {
  readonly rules: readonly RoleRule[];
  readonly cost: RuleCost;
}

/** The verdicts of a page of members, to be stored. */
export interface EvaluatedPage {
  /** Database time before anything of the page was read. */
  readonly startedAt: string;
  readonly members: readonly MemberWallets[];
  readonly rules: readonly RoleRule[];
  readonly end: MemberCursor | undefined;
  readonly isLast: boolean;
  readonly verdicts: readonly MemberVerdicts[];
}

/** Loads and evaluates the next members of a check. */
@Injectable()
export class MemberPageReader {
  constructor(
    private readonly config: BalanceCheckConfig,
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly evaluation: MemberEvaluationService,
  ) {}

  /**
   * @returns undefined where the rules are no longer those of the check, or the community is deleted
   * @throws AppError 503 `identity_unavailable`
   */
  async read(
    check: RunningBalanceCheck,
    { rules, cost: { readsPerWallet, maxMembers } }: TurnRules,
    signal: AbortSignal,
  ): Promise<EvaluatedPage | undefined> {
    const { communityId, ownerId, startedAt: joinedUntil, after, retries, rulesRevision } = check;
    const maxReads = Math.ceil(
      this.config.BALANCE_CHECK_PAGE_READS / Math.min(2 ** retries, MAX_PAGE_REDUCTION),
    );
    const fittingMembers = Math.floor(maxReads / Math.max(1, readsPerWallet));
    const limit = Math.max(1, Math.min(maxMembers, fittingMembers));
    const page = await loadMemberPage(this.database, communityId, { joinedUntil, after, limit });
    if (page?.rulesRevision !== rulesRevision) return undefined;
    const userIds = page.members.map(({ userId }) => userId);
    const withWallets = await loadMemberWallets(communityId, userIds, this.identity);
    const members = truncatePage(withWallets, { readsPerWallet, maxReads });
    const lane = check.isWithoutApplication ? 'limited' : 'background';
    const options = { communityId, tenantId: ownerId, lane, signal } as const;
    const verdicts = await this.evaluation.evaluate(rules, members, options);
    return {
      startedAt: page.startedAt,
      members,
      rules,
      end: page.members[members.length - 1],
      isLast: page.members.length < limit && members.length === page.members.length,
      verdicts,
    };
  }
}
