import type { RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { MemberEvaluationService, type MemberVerdicts } from '../../evaluation/member-evaluation.service.js';
import { IdentityClient } from '../../../clients/identity-client.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import { truncatePage } from './truncate-page.js';
import { MemberPageQueries } from './member-page.queries.js';
import type { RuleCost } from './rule-cost.service.js';
import type { MemberCursor, RunningBalanceCheck } from './running-balance-check.js';

/** Nodes that did not answer in time are asked for less, down to this share of a page. */
const MAX_PAGE_REDUCTION = 4;

/** What members are looked at by in one turn. */
export interface TurnRules {
  readonly rules: readonly RoleRule[];
  readonly cost: RuleCost;
}

/** What is known of some members, to be stored. */
export interface EvaluatedPage {
  /** Database time before anything of it was read. */
  readonly readAt: string;
  readonly members: number;
  readonly end: MemberCursor | undefined;
  readonly isLast: boolean;
  readonly verdicts: readonly MemberVerdicts[];
}

/** Reads the next members of a check: who they are, what they have, and what they hold. */
@Injectable()
export class MemberPageReader {
  constructor(
    private readonly config: BalanceCheckConfig,
    private readonly pages: MemberPageQueries,
    private readonly identity: IdentityClient,
    private readonly evaluation: MemberEvaluationService,
  ) {}

  /**
   * Undefined when the rules are no longer those of the check, or the community is gone.
   * @throws AppError 503 `identity_unavailable`
   */
  async read(
    check: RunningBalanceCheck,
    { rules, cost: { readsPerWallet, maxMembers } }: TurnRules,
    signal: AbortSignal,
  ): Promise<EvaluatedPage | undefined> {
    const mostReads = Math.ceil(
      this.config.BALANCE_CHECK_PAGE_READS / Math.min(2 ** check.retries, MAX_PAGE_REDUCTION),
    );
    const fitting = Math.floor(mostReads / Math.max(1, readsPerWallet));
    const limit = Math.max(1, Math.min(maxMembers, fitting));
    const page = await this.pages.load(check, check.after, limit);
    if (page?.rulesRevision !== check.rulesRevision) return undefined;
    const withWallets = await this.loadWallets(page.members);
    const members = truncatePage(withWallets, { readsPerWallet, mostReads });
    const verdicts = await this.evaluation.evaluate(rules, members, { background: true, signal });
    return {
      readAt: page.readAt,
      members: members.length,
      end: page.members[members.length - 1],
      isLast: page.members.length < limit && members.length === page.members.length,
      verdicts,
    };
  }

  private async loadWallets(members: readonly MemberCursor[]) {
    const userIds = members.map(({ userId }) => userId);
    const { users } = userIds.length === 0 ? { users: [] } : await this.identity.fetchWallets(userIds);
    const known = new Map(users.map(({ userId, wallets }) => [userId, wallets]));
    return userIds.map((userId) => ({ userId, wallets: known.get(userId) ?? [] }));
  }
}
