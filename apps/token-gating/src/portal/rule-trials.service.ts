import { Database } from '@app/database';
import type {
  PortalMemberCheckRequest,
  PortalMemberCheckResponse,
  RuleTrialRequest,
  RuleTrialResponse,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CheckRolesService } from '../checks/check-roles.service.js';
import { CommunityAccessService } from '../communities/access/community-access.service.js';
import { memberNotFound } from '../communities/members/member.errors.js';
import { isMember } from '../communities/members/community-members.queries.js';
import { CommunityRulesService } from '../communities/rules/community-rules.service.js';
import { MemberRolesService } from '../roles/member-roles/member-roles.service.js';
import { PortalUsageService } from './portal-usage.service.js';
import { toPortalAnswer, toUserPrincipal } from './to-portal-answer.js';

/**
 * Tries rules before they are saved, and checks members now, for those who run a community. Both count on the user's tenant as check-roles
 * does, and their reads take the share of the user, as those of a request with the user's token.
 */
@Injectable()
export class RuleTrialsService {
  constructor(
    private readonly database: Database,
    private readonly rules: CommunityRulesService,
    private readonly checks: CheckRolesService,
    private readonly access: CommunityAccessService,
    private readonly memberRoles: MemberRolesService,
    private readonly usage: PortalUsageService,
  ) {}

  /**
   * The caller has named the addresses, so what they hold is shown.
   * @throws AppError 400 and 409 as for saving the rules, 403 and 404 for users who are no administrators, 429
   */
  async tryRules({ userId, communityId, rules, addresses }: RuleTrialRequest): Promise<RuleTrialResponse> {
    const principal = toUserPrincipal(userId);
    await this.access.requireActive(principal, communityId);
    await this.rules.check(principal, communityId, rules);
    await this.usage.count(userId, addresses.length);
    const options = { requester: { userId }, tenantId: userId, lenient: true, isMember: true };
    const results = addresses.map(async ({ text, account }) => {
      const response = await this.checks.checkRoles({ account, rules }, options, { showsUserWallets: true });
      return { address: text, ...toPortalAnswer(response) };
    });
    return { results: await Promise.all(results) };
  }

  /**
   * Checks a member now, and stores the roles that changed. Wallets and amounts are for the member alone. Who is no member is
   * refused before anything is counted, so that a page that shows a person while the plan is used up shows members only.
   * @throws AppError 403 and 404 for users who are no administrators, 404 for who is no member, 429
   */
  async checkMember({
    userId,
    communityId,
    memberId,
  }: PortalMemberCheckRequest): Promise<PortalMemberCheckResponse> {
    const principal = toUserPrincipal(userId);
    if (memberId !== userId) await this.access.requireAdministrator(principal, communityId);
    if (!(await isMember(this.database, communityId, memberId))) {
      await this.access.requireViewer(principal, communityId);
      throw memberNotFound();
    }
    await this.usage.count(userId);
    const explanation = { showsUserWallets: true };
    const request = { principal, communityId, userId: memberId, lenient: true, explanation };
    return toPortalAnswer(await this.memberRoles.find(request));
  }
}
