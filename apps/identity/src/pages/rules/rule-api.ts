import { AppError, digestJson } from '@app/common';
import { Database } from '@app/database';
import { rawRoleRule, type RawRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import { PortalApi } from '../../clients/portal-api.js';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { findClientPlans } from '../../applications/entities/client-applications.queries.js';
import { CommunityApi } from '../communities/community-api.js';
import { listWalletAccounts } from '../../users/wallets/wallet-connections.queries.js';

const rules = z.object({ rules: z.array(rawRoleRule) });

const memberPage = z.object({
  items: z.array(z.object({ roles: z.array(z.string()) })),
  paginationToken: z.string().optional(),
});

/** Pages of members that are looked at to say how many have a role. */
const MAX_MEMBER_PAGES = 5;
const MEMBER_PAGE_SIZE = 100;

export interface RoleHolders {
  readonly count: number;
  /** Whether there are more members than were counted. */
  readonly hasMore: boolean;
}

/**
 * How the roles of a community follow what wallets hold, for those who run it.
 * @param allowsNone whether communities may have rules without an approved application
 * @param where the button is that checks all members; empty on its page
 */
export function describeFollowing(
  hasApplication: boolean,
  allowsNone: boolean,
  where = ' on the page Members',
): string {
  if (hasApplication)
    return 'Transfers are followed: a role comes with what a wallet holds, and goes with it, within a minute or so.';
  return allowsNone
    ? `Members are checked when they join, when rules change, once a day, and by “Check all members now”${where}.`
    : 'Rules need an application that an operator has approved: attach one on the page Applications.';
}

/** What the pages of rules ask of token-gating, in the right of the signed-in user. Every method throws the error of its operation. */
@Injectable()
export class RuleApi {
  constructor(
    private readonly portal: PortalApi,
    private readonly communities: PortalCommunitiesClient,
    private readonly attached: CommunityApi,
    private readonly database: Database,
  ) {}

  async loadRules(user: SessionUser, communityId: string): Promise<RawRoleRule[]> {
    const request = { params: { communityId } };
    return (await this.portal.call(user, 'CommunityRuleController.getRules', request, rules)).rules;
  }

  /** @returns false where the community has other rules by now than `replaces` */
  async replaceRules(
    user: SessionUser,
    communityId: string,
    { rules: submitted, replaces }: { rules: readonly RawRoleRule[]; replaces: readonly RawRoleRule[] },
  ): Promise<boolean> {
    try {
      await this.portal.call(
        user,
        'CommunityRuleController.replaceRules',
        // Large rules fit a request only once.
        { params: { communityId }, body: { rules: submitted, replacesDigest: digestJson(replaces) } },
        z.unknown(),
      );
      return true;
    } catch (error) {
      if (error instanceof AppError && error.details['code'] === 'rules_conflict') return false;
      throw error;
    }
  }

  /** Whether an attached application is approved for rules: then transfers are followed, and no limits of communities without one hold. */
  async hasApprovedApplication(user: SessionUser, communityId: string): Promise<boolean> {
    const clients = await this.attached.listAttachedClients(user, communityId);
    if (clients.length === 0) return false;
    const { plans } = await findClientPlans(
      this.database,
      clients.map(({ clientId }) => clientId),
    );
    return plans.some(({ scopes }) => scopes.includes('token-gating'));
  }

  /** What is true of this community, as its page Members says it. */
  async describeFollowing(user: SessionUser, communityId: string): Promise<string> {
    const [hasApplication, { withoutApplication }] = await Promise.all([
      this.hasApprovedApplication(user, communityId),
      this.loadCatalogue(),
    ]);
    return describeFollowing(hasApplication, withoutApplication !== undefined, '');
  }

  loadCatalogue() {
    return this.communities.loadCatalogue();
  }

  readToken({ userId }: SessionUser, chainId: number, contractAddress: string) {
    return this.communities.readToken({ userId, chainId, contractAddress });
  }

  tryRule(
    { userId }: SessionUser,
    communityId: string,
    { rule, addresses }: { rule: RawRoleRule; addresses: readonly string[] },
  ) {
    return this.communities.tryRules({ userId, communityId, rules: [rule], addresses });
  }

  /** CAIP-10 ids of the user's wallets. */
  listOwnAccounts({ userId }: SessionUser): Promise<string[]> {
    return listWalletAccounts(this.database, userId);
  }

  /** Counts the members that hold a role, among the first 500. */
  async countHolders(user: SessionUser, communityId: string, roleId: string): Promise<RoleHolders> {
    let count = 0;
    let token: string | undefined;
    for (let page = 0; page < MAX_MEMBER_PAGES; page += 1) {
      const query = { limit: String(MEMBER_PAGE_SIZE), paginationToken: token };
      const request = { params: { communityId }, query };
      const operation = 'CommunityMemberController.listMembers';
      const { items, paginationToken } = await this.portal.call(user, operation, request, memberPage);
      count += items.filter(({ roles }) => roles.includes(roleId)).length;
      token = paginationToken;
      if (token === undefined) return { count, hasMore: false };
    }
    return { count, hasMore: true };
  }
}
