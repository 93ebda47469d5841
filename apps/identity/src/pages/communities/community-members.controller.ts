import { AppError } from '@app/common';
import { FormBody } from '@app/service';
import { Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { RuleApi } from '../rules/rule-api.js';
import { PageController } from '../page-controller.decorator.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { formatDay, formatMinute } from '../views/format-values.js';
import type { CheckView, MemberRowView } from '../views/community-views.js';
import {
  type CommunityParams,
  communityParams,
  type MemberParams,
  memberParams,
  type MembersQuery,
  membersQuery,
} from './communities.dto.js';
import { type BalanceCheck, CommunityApi } from './community-api.js';
import { CommunityPageRenderer, type ManagedCommunity } from './community-page-renderer.js';
import { describeMembers, formatCount } from './community-overview.js';
import { toCommunityTabs, toInvitationsPath, toMembersPath } from './community-tabs.js';
import { MemberCheckService } from './member-check.service.js';
import { PeopleService } from './people.service.js';
import { endOnce } from './repeatable.js';
import { isTypedName, TypedNamesService } from './typed-names.service.js';
import { toCssColor } from './role-color.js';
import { VISIBILITIES } from './visibilities.js';

const MEMBERS_PER_PAGE = 50;
/** The status of a refusal that ends by waiting. */
const TOO_MANY = 429;

const NO_SEARCH: MembersQuery = { text: undefined, after: undefined };

/** The members of a community, for those who run it. */
@PageController('portal/communities/:communityId/members')
export class CommunityMembersController {
  constructor(
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly checks: MemberCheckService,
    private readonly page: CommunityPageRenderer,
    private readonly names: TypedNamesService,
    private readonly rules: RuleApi,
    private readonly notices: PageNoticesService,
    private readonly people: PeopleService,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: membersQuery }) query: MembersQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendList(response, session, communityId, query);
  }

  /** Checks all members. A check that runs goes on, so that a double click starts none beside it. */
  @Post('check')
  @FormBody()
  async checkAll(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.api.requestBalanceCheck(session.user, communityId);
      response.redirect(303, toMembersPath(communityId));
    } catch (error) {
      if (!(error instanceof AppError) || error.statusCode !== TOO_MANY) throw error;
      await this.sendList(response, session, communityId, NO_SEARCH, error);
    }
  }

  /** Forms are posted to this path, so that reloading a response may request it with GET. */
  @Get('check')
  showCheck(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): void {
    response.redirect(303, toMembersPath(communityId));
  }

  /** Shows the roles that are stored: a page that is only looked at asks no chain and changes no role. */
  @Get(':userId')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: memberParams }) params: MemberParams,
    @Res() response: Response,
  ): Promise<void> {
    const community = await this.page.load(session, params.communityId);
    const stored = await this.checks.read(session, community, params.userId);
    this.sendMember(response, session, community, stored);
  }

  /** Checks the member now: the page says what is true at this moment, and why. */
  @Post(':userId/check')
  @FormBody()
  async check(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: memberParams }) params: MemberParams,
    @Res() response: Response,
  ): Promise<void> {
    const community = await this.page.load(session, params.communityId);
    this.sendMember(response, session, community, await this.checks.check(session, community, params.userId));
  }

  /** Forms are posted to these paths, so that reloading a response may request them with GET. */
  @Get([':userId/check', ':userId/remove'])
  showMember(@Param({ schema: memberParams }) params: MemberParams, @Res() response: Response): void {
    response.redirect(303, toMemberPath(params));
  }

  @Post(':userId/remove')
  @FormBody()
  async remove(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: memberParams }) params: MemberParams,
    @Res() response: Response,
  ): Promise<void> {
    const { communityId, userId } = params;
    const [{ visibility }, [person]] = await Promise.all([
      this.page.load(session, communityId),
      this.people.describe([userId]),
    ]);
    await endOnce(this.api.removeMember(session.user, params), 'member_not_found');
    const invite = { href: toInvitationsPath(communityId), text: 'Create a new invitation link' };
    await this.notices.lead(response, session, toMembersPath(communityId), {
      text: `{name} is no longer a member. ${VISIBILITIES[visibility].afterRemoval}`,
      name: person?.title,
      next: visibility === 'members' ? [invite] : [],
    });
  }

  private sendMember(
    response: Response,
    session: SignedInSession,
    community: ManagedCommunity,
    { member, ...found }: Awaited<ReturnType<MemberCheckService['check']>>,
  ): void {
    const { userId } = session.user;
    const isOwner = userId === community.ownerId;
    const isRemovable = !member.isOwner && (isOwner || !member.isAdministrator || member.userId === userId);
    const person = this.people.toView(member);
    const view = {
      ...found,
      tabs: toCommunityTabs(community, 'members'),
      path: toMemberPath({ communityId: community.id, userId: member.userId }),
      person,
      address: person.accountId?.split(':').at(-1),
      removal: isRemovable ? { mayReturn: VISIBILITIES[community.visibility].afterRemoval } : undefined,
    };
    this.page.send(response, session, community.name, 'community-member', view, {
      title: view.person.title,
      script: 'check-answer',
      isStep: true,
    });
  }

  private async sendList(
    response: Response,
    session: SignedInSession,
    communityId: string,
    { text, after }: MembersQuery,
    refusal?: AppError,
  ): Promise<void> {
    const community = await this.page.load(session, communityId);
    const isName = text !== undefined && this.names.isAvailable && isTypedName(text);
    const named = isName ? await this.names.resolve(text, session.user) : undefined;
    // Members are found by what they call themselves, too, which may have a dot.
    const searched = named && 'address' in named ? named.address : text;
    const request = {
      ...{ userId: session.user.userId, communityId, text: searched, after },
      limit: MEMBERS_PER_PAGE,
    };
    const [{ members, memberCount, next }, checks, following] = await Promise.all([
      this.client.listMembers(request),
      this.api.listBalanceChecks(session.user, communityId),
      this.rules.describeFollowing(session.user, communityId),
    ]);
    const [newest] = checks;
    const check = newest && toCheckView(newest);
    const path = toMembersPath(communityId);
    const view = {
      tabs: toCommunityTabs(community, 'members'),
      text: text ?? '',
      named,
      members: members.map((member) => ({
        ...toMemberRow(path, member),
        person: this.people.toView(member),
      })),
      ...(next && { nextPath: toNextPath(path, text, next) }),
      memberCount: describeMembers(memberCount),
      following,
      check,
      problem: refusal?.message,
    };
    this.page.send(response, session, community.name, 'community-members', view, {
      title: 'Members',
      status: refusal?.statusCode,
      script: check?.isRunning ? 'balance-check' : undefined,
    });
  }
}

const toMemberPath = ({ communityId, userId }: MemberParams): string =>
  `${toMembersPath(communityId)}/${encodeURIComponent(userId)}`;

const toNextPath = (path: string, text = '', [joined, id]: [string, string]): string =>
  `${path}?${new URLSearchParams({ text, joined, id }).toString()}`;

type ListedMember = Awaited<ReturnType<PortalCommunitiesClient['listMembers']>>['members'][number];

const toMemberRow = (path: string, member: ListedMember): Omit<MemberRowView, 'person'> => ({
  href: `${path}/${encodeURIComponent(member.userId)}`,
  position: member.isOwner ? 'owner' : member.isAdministrator ? 'administrator' : '',
  joined: formatDay(new Date(member.joinedTime)),
  roles: member.roles.map(({ name, color }) => ({ name, color: toCssColor(color) })),
});

function toCheckView({ state, reason, total, done, changed, failed, createdTime }: BalanceCheck): CheckView {
  const began = formatMinute(new Date(createdTime));
  const start = `${reason === 'requested' ? 'Asked for' : 'By itself, daily or after a change of rules'}, ${began}`;
  if (state === 'running') {
    const text = `${start}: ${formatCount(done)} of ${formatCount(total)} members are checked.`;
    return { isRunning: true, text, done, total };
  }
  const changes =
    changed === 0 ? 'no role changed' : `${formatCount(changed)} ${changed === 1 ? 'role' : 'roles'} changed`;
  const failures =
    failed === 0 ? '' : ` Roles of ${formatCount(failed)} could not be decided and stay as they were.`;
  return {
    isRunning: false,
    text: `${start}: ${describeMembers(done)} checked, ${changes}.${failures}`,
    done,
    total,
  };
}
