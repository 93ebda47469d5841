import { AppError, notFound } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { HOME_PATH } from '../sessions/login-path.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import {
  type SignedInSession,
  CurrentSignedInSession,
  CurrentWalletSession,
} from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import {
  type AdministratorForm,
  administratorForm,
  type CommunityParams,
  communityParams,
  type MemberParams,
  memberParams,
} from './communities.dto.js';
import { CommunityApi } from './community-api.js';
import { CommunityPageRenderer } from './community-page-renderer.js';
import { toCommunityPath, toCommunityTabs, toMembershipPath, toMembersPath } from './community-tabs.js';
import { REFUSED_FORM_STATUS, toFormProblems } from './form-problems.js';
import { PeopleService } from './people.service.js';
import { endOnce } from './repeatable.js';
import { isTypedName, TypedNamesService } from './typed-names.service.js';

/** The same for a user who does not exist and one who is no member, so that the form tells nothing about others than members. */
const NO_MEMBER =
  'No member of this community has this address or username. Only members can become administrators.';

/** The administrators of a community. Its owner adds and removes administrators, and each of them may step down. */
@PageController('portal/communities/:communityId/administrators')
export class CommunityAdministratorsController {
  constructor(
    private readonly api: CommunityApi,
    private readonly people: PeopleService,
    private readonly page: CommunityPageRenderer,
    private readonly notices: PageNoticesService,
    private readonly names: TypedNamesService,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(response, session, communityId, { person: '', problems: {} });
  }

  @Post()
  @FormBody()
  async add(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: administratorForm }) { person }: AdministratorForm,
    @Res() response: Response,
  ): Promise<void> {
    if (isTypedName(person)) {
      await this.confirmName(response, session, communityId, person);
      return;
    }
    try {
      const userId = await this.addAny(session, communityId, await this.people.findUserIds(person));
      const [added] = await this.people.describe([userId]);
      await this.notices.lead(response, session, `${toCommunityPath(communityId)}/administrators`, {
        text: '{name} runs this community now, too, and finds it on the page Communities. To make them its owner, offer it to them:',
        name: added?.title,
        next: [{ href: `${toCommunityPath(communityId)}/settings`, text: 'Settings' }],
      });
    } catch (error) {
      const problems = isNoMember(error) ? { person: NO_MEMBER } : toFormProblems(error, 'person');
      await this.send(response, session, communityId, { person, problems });
    }
  }

  @Post(':userId/remove')
  @FormBody()
  async remove(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: memberParams }) params: MemberParams,
    @Res() response: Response,
  ): Promise<void> {
    const { communityId, userId } = params;
    const isSelf = userId === session.user.userId;
    const [person] = await this.people.describe([userId]);
    await this.removeOnce(session, params, isSelf);
    if (isSelf) {
      await this.notices.lead(response, session, HOME_PATH, {
        text: 'You no longer run this community. You are still a member:',
        next: [{ href: toMembershipPath(communityId), text: 'Show your roles' }],
      });
      return;
    }
    await this.notices.lead(response, session, `${toCommunityPath(communityId)}/administrators`, {
      text: '{name} no longer runs this community, and stays a member.',
      name: person?.title,
      next: [{ href: toMembersPath(communityId), text: 'See the members' }],
    });
  }

  /** The form is posted to this path, so that reloading a response may request it with GET. */
  @Get(':userId/remove')
  showRemoval(
    @Param({ schema: memberParams }) { communityId }: MemberParams,
    @Res() response: Response,
  ): void {
    response.redirect(303, `${toCommunityPath(communityId)}/administrators`);
  }

  /** Shows the address of a name in the form: who adds an administrator has seen the address that becomes one. */
  private async confirmName(
    response: Response,
    session: SignedInSession,
    communityId: string,
    text: string,
  ): Promise<void> {
    // Only those who run the community have names looked up here.
    await this.page.load(session, communityId);
    const found = await this.names.resolve(text, session.user);
    if ('problem' in found) {
      const problems = { person: found.problem };
      await this.send(response, session, communityId, { person: text, problems });
      return;
    }
    const form = { person: found.address, name: found.name, problems: {} };
    await this.send(response, session, communityId, form);
  }

  /** Who has stepped down before is no administrator any more, and may not even see the community. */
  private removeOnce({ user }: SignedInSession, params: MemberParams, isSelf: boolean): Promise<void> {
    const removal = this.api.removeAdministrator(user, params);
    return endOnce(
      removal,
      'user_not_found',
      ...(isSelf ? ['community_not_found', 'administrator_required'] : []),
    );
  }

  /** An address may stand for an externally owned account and for a contract: the one that is a member is meant. */
  private async addAny(
    { user }: SignedInSession,
    communityId: string,
    userIds: readonly string[],
  ): Promise<string> {
    for (const userId of userIds) {
      try {
        await this.api.addAdministrator(user, { communityId, userId });
        return userId;
      } catch (error) {
        if (!isNoMember(error)) throw error;
      }
    }
    throw noMember();
  }

  private async send(
    response: Response,
    session: SignedInSession,
    communityId: string,
    form: { person: string; name?: string; problems: Record<string, string> },
  ): Promise<void> {
    const community = await this.page.load(session, communityId);
    const rows = await this.api.listAdministrators(session.user, communityId);
    const people = await this.people.describe(rows.map(({ userId }) => userId));
    const isOwner = community.ownerId === session.user.userId;
    const base = `${toCommunityPath(communityId)}/administrators`;
    const administrators = rows.flatMap(({ userId, createdTime, ...row }, index) => {
      const person = people[index];
      if (!person) return [];
      const isSelf = userId === session.user.userId;
      const isRemovable = !row.isOwner && (isOwner || isSelf);
      return [
        {
          ...{ person, isSelf, isOwner: row.isOwner, since: formatDay(new Date(createdTime)) },
          ...(isRemovable && { removePath: `${base}/${encodeURIComponent(userId)}/remove` }),
        },
      ];
    });
    const view = {
      tabs: toCommunityTabs(community, 'administrators'),
      isOwner,
      administrators,
      form,
      takesNames: this.names.isAvailable,
    };
    const status = Object.keys(form.problems).length > 0 ? REFUSED_FORM_STATUS : 200;
    const page = { title: 'Administrators', status, isStep: true } as const;
    this.page.send(response, session, community.name, 'community-administrators', view, page);
  }
}

const noMember = () => notFound('user_not_found', NO_MEMBER);

const isNoMember = (error: unknown): boolean =>
  error instanceof AppError && error.details['code'] === 'user_not_found';
