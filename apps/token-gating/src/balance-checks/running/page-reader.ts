import type { RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { EvaluateMembers, type MemberVerdicts } from '../../evaluation/evaluate-members.js';
import { IdentityClient } from '../../identity/identity-client.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import { cutPage } from './cut-page.js';
import { MemberPages } from './member-pages.js';
import type { RuleCost } from './rule-costs.js';
import type { Place, RunningCheck } from './running-check.js';

/** Nodes that did not answer in time are asked for less, down to this share of a page. */
const SMALLEST_SHARE = 4;

/** What members are looked at by in one turn. */
export interface TurnRules {
  readonly rules: readonly RoleRule[];
  readonly cost: RuleCost;
}

/** What is known of some members, to be stored. */
export interface ReadPage {
  /** Database time before anything of it was read. */
  readonly readAt: string;
  readonly members: number;
  readonly end: Place | undefined;
  readonly isLast: boolean;
  readonly verdicts: readonly MemberVerdicts[];
}

/** Reads the next members of a check: who they are, what they have, and what they hold. */
@Injectable()
export class PageReader {
  constructor(
    private readonly config: BalanceCheckConfig,
    private readonly pages: MemberPages,
    private readonly identity: IdentityClient,
    private readonly evaluation: EvaluateMembers,
  ) {}

  /**
   * Undefined when the rules are no longer those of the check, or the community is gone.
   * @throws AppError 503 `identity_unavailable`
   */
  async read(
    check: RunningCheck,
    { rules, cost: { readsPerWallet, mostMembers } }: TurnRules,
    signal: AbortSignal,
  ): Promise<ReadPage | undefined> {
    const mostReads = Math.ceil(
      this.config.BALANCE_CHECK_PAGE_READS / Math.min(2 ** check.retries, SMALLEST_SHARE),
    );
    const fitting = Math.floor(mostReads / Math.max(1, readsPerWallet));
    const limit = Math.max(1, Math.min(mostMembers, fitting));
    const page = await this.pages.load(check, check.after, limit);
    if (page?.rulesRevision !== check.rulesRevision) return undefined;
    const withWallets = await this.loadWallets(page.members);
    const members = cutPage(withWallets, { readsPerWallet, mostReads });
    const verdicts = await this.evaluation.evaluate(rules, members, { background: true, signal });
    return {
      readAt: page.readAt,
      members: members.length,
      end: page.members[members.length - 1],
      isLast: page.members.length < limit && members.length === page.members.length,
      verdicts,
    };
  }

  private async loadWallets(members: readonly Place[]) {
    const userIds = members.map(({ userId }) => userId);
    const { users } = userIds.length === 0 ? { users: [] } : await this.identity.walletsOf(userIds);
    const known = new Map(users.map(({ userId, wallets }) => [userId, wallets]));
    return userIds.map((userId) => ({ userId, wallets: known.get(userId) ?? [] }));
  }
}
