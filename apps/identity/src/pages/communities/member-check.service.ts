import { AppError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import type { SignedInSession } from '../sessions/page-session.decorator.js';
import { formatMinute } from '../views/format-values.js';
import type { RoleReasonsView } from '../views/community-views.js';
import type { PortalCommunity } from './community-api.js';
import { RuleWordsService } from './rule-words.service.js';
import { toRoleReasons } from './member-reasons.js';

type MemberRow = Awaited<ReturnType<PortalCommunitiesClient['findMember']>>;

interface StoredMember {
  readonly member: MemberRow;
  /** With what each role asks for, and what the last check made of it; the amounts that it found are not stored. */
  readonly roles: RoleReasonsView[];
}

interface CheckedMember extends StoredMember {
  /** When the member was checked; absent where a check was refused, and `problem` says why. */
  readonly checked?: string;
  readonly problem?: string;
}

type CheckedCommunity = Pick<PortalCommunity, 'id' | 'roles' | 'tpcs'>;

/** Statuses with which a check fails for now; a page shows the rest. */
const PASSING_STATUSES = [403, 429, 503];

/** The stored roles of members, and checks of them with the reasons. */
@Injectable()
export class MemberCheckService {
  constructor(
    private readonly client: PortalCommunitiesClient,
    private readonly words: RuleWordsService,
  ) {}

  /** Passes for members of communities that they may not see, too. @throws AppError 404 for others, and for communities that do not exist */
  async requireMember({ user: { userId } }: SignedInSession, communityId: string): Promise<void> {
    await this.client.findMember({ userId, communityId, memberId: userId });
  }

  /** Reads what is stored of a member. @throws AppError 404 where the user is no member, before anything is looked up of them */
  async read(
    { user }: SignedInSession,
    community: CheckedCommunity,
    memberId: string,
  ): Promise<StoredMember> {
    const request = { userId: user.userId, communityId: community.id, memberId };
    const [member, names] = await Promise.all([this.client.findMember(request), this.words.loadNames()]);
    const held = new Set(member.roles.map(({ id }) => id));
    const { roles, tpcs: rules = [] } = community;
    const stored = {
      roles: roles.map(({ id }) => ({ id, granted: held.has(id) })),
      explanations: [],
      isStored: true,
    };
    const whose = memberId === user.userId ? 'own' : 'member';
    return { member, roles: toRoleReasons({ roles, rules, names }, stored, whose, member.roleTimes) };
  }

  /** Checks a member now, which stores the roles that changed. @throws AppError 404 where the user is no member */
  async check(
    session: SignedInSession,
    community: CheckedCommunity,
    memberId: string,
  ): Promise<CheckedMember> {
    const { user } = session;
    const { roles, tpcs: rules = [] } = community;
    const stored = await this.read(session, community, memberId);
    const request = { userId: user.userId, communityId: community.id, memberId };
    try {
      const [result, names] = await Promise.all([this.client.checkMember(request), this.words.loadNames()]);
      const whose = memberId === user.userId ? 'own' : 'member';
      // The check may have changed roles.
      const member = await this.client.findMember(request);
      const found = toRoleReasons({ roles, rules, names }, result, whose, member.roleTimes);
      return { member, checked: formatMinute(new Date()), roles: found };
    } catch (error) {
      if (!(error instanceof AppError) || !PASSING_STATUSES.includes(error.statusCode)) throw error;
      return { ...stored, problem: error.message };
    }
  }
}
