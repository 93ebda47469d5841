import { AppError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import type { SignedInSession } from '../sessions/page-session.decorator.js';
import { formatMinute } from '../views/format-values.js';
import type { RoleReasonsView } from '../views/community-views.js';
import type { PortalCommunity } from './community-api.js';
import { RuleWordsService } from './rule-words.service.js';
import { toRoleReasons } from './member-reasons.js';

interface CheckedMember {
  readonly checked: string;
  readonly roles?: RoleReasonsView[];
  /** Why the member could not be checked. */
  readonly problem?: string;
}

/** Statuses with which a check fails for now; a page shows the rest. */
const PASSING_STATUSES = [403, 429, 503];

/** Checks members for pages, and says why they have their roles. */
@Injectable()
export class MemberCheckService {
  constructor(
    private readonly client: PortalCommunitiesClient,
    private readonly words: RuleWordsService,
  ) {}

  /** @throws AppError 404 where the user is no member */
  async check(
    { user }: SignedInSession,
    community: Pick<PortalCommunity, 'id' | 'roles' | 'tpcs'>,
    userId: string,
  ): Promise<CheckedMember> {
    const { roles, tpcs: rules = [] } = community;
    const whose = userId === user.userId ? 'own' : 'member';
    const checked = formatMinute(new Date());
    try {
      const request = { userId: user.userId, communityId: community.id, memberId: userId };
      const [result, names] = await Promise.all([this.client.checkMember(request), this.words.loadNames()]);
      return { checked, roles: toRoleReasons({ roles, rules, names }, result, whose) };
    } catch (error) {
      if (!(error instanceof AppError) || !PASSING_STATUSES.includes(error.statusCode)) throw error;
      return { checked, problem: error.message };
    }
  }
}
