import { conflict, notFound } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { PageController } from '../page-controller.decorator.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import type { RoleFormView } from '../views/community-views.js';
import {
  type CommunityParams,
  communityParams,
  type NewRoleForm,
  newRoleForm,
  type RoleForm,
  roleForm,
  type RoleParams,
  roleParams,
} from './communities.dto.js';
import { CommunityApi, type Role } from './community-api.js';
import { CommunityPageRenderer, type ManagedCommunity } from './community-page-renderer.js';
import { toCommunityTabs, toMembersPath, toRolesPath, toRulesPath } from './community-tabs.js';
import { REFUSED_FORM_STATUS, toFormProblems } from './form-problems.js';
import { OnceFormService } from './once-form.service.js';
import { RuleWordsService } from './rule-words.service.js';
import { endOnce } from './repeatable.js';
import { chooseColor, toCssColor } from './role-color.js';
import { describeHolders, describeRulesOfRole } from './role-use.js';

/** What one page of members has at most. */
const MAX_COUNTED_HOLDERS = 100;
const FIELDS = ['name', 'color'];

const roleNotFound = () => notFound('role_not_found', 'The community has no such role.');

const roleNameConflict = () =>
  conflict(
    'role_conflict',
    'The community has a role of this name. Choose another name, so that the two can be told apart.',
  );

/** Names that look the same are the same. */
const fold = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

/** The roles of a community, for those who run it. */
@PageController('portal/communities/:communityId/roles')
export class CommunityRolesController {
  constructor(
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly forms: OnceFormService,
    private readonly words: RuleWordsService,
    private readonly page: CommunityPageRenderer,
    private readonly notices: PageNoticesService,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendList(response, session, communityId);
  }

  @Post()
  @FormBody()
  async create(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: newRoleForm }) { form: token, ...fields }: NewRoleForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const color = toColorNumber(fields);
    try {
      const role = { name: fields.name, color: color ?? undefined };
      const form = { path: request.path, token, fields: role };
      const rulePath = await this.forms.submit(session, form, async () => {
        await this.requireFreeName(session, communityId, fields.name);
        const { id } = await this.api.createRole(session.user, communityId, role);
        return `${toRulesPath(communityId)}/new?role=${encodeURIComponent(id)}`;
      });
      await this.notices.lead(response, session, toRolesPath(communityId), {
        text: 'Role {name} exists. Say who gets it:',
        name: fields.name,
        next: [{ href: rulePath, text: 'Add a rule' }],
      });
    } catch (error) {
      await this.sendList(response, session, communityId, refuse(error, fields));
    }
  }

  @Get(':roleId')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: roleParams }) params: RoleParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendRole(response, session, params);
  }

  @Post(':roleId')
  @FormBody()
  async change(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: roleParams }) params: RoleParams,
    @Body({ schema: roleForm }) fields: RoleForm,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.requireFreeName(session, params.communityId, fields.name, params.roleId);
      await this.api.changeRole(session.user, params, { name: fields.name, color: toColorNumber(fields) });
      await this.notices.lead(response, session, toRolesPath(params.communityId), {
        text: 'Role {name} is saved.',
        name: fields.name,
        next: [{ href: toRulesPath(params.communityId), text: 'See who gets it' }],
      });
    } catch (error) {
      await this.sendRole(response, session, params, refuse(error, fields));
    }
  }

  @Get(':roleId/delete')
  async askToDelete(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: roleParams }) params: RoleParams,
    @Res() response: Response,
  ): Promise<void> {
    const { community, role } = await this.load(session, params);
    const { userId } = session.user;
    const holders = await this.client.listMembers({ userId, ...params, limit: MAX_COUNTED_HOLDERS });
    const view = {
      tabs: toCommunityTabs(community, 'roles'),
      path: toRolePath(params.communityId, role.id),
      name: role.name,
      rules: describeRulesOfRole(community, role.id, await this.words.loadNames()),
      holders: describeHolders(holders),
      isHeld: holders.members.length > 0,
    };
    this.page.send(response, session, community.name, 'delete-role', view, { title: `Delete ${role.name}` });
  }

  @Post(':roleId/delete')
  @FormBody()
  async delete(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: roleParams }) params: RoleParams,
    @Res() response: Response,
  ): Promise<void> {
    const { communityId, roleId } = params;
    const { roles } = await this.page.load(session, communityId);
    await endOnce(this.api.deleteRole(session.user, params), 'role_not_found');
    const name = roles.find(({ id }) => id === roleId)?.name;
    await this.notices.lead(response, session, toRolesPath(communityId), {
      text: `Role ${name === undefined ? '' : '{name} '}is deleted, and nobody has it any more.`,
      name,
      next: [{ href: toMembersPath(communityId), text: 'See the members' }],
    });
  }

  /**
   * On these pages a role is its name, so that two of one name could not be told apart. Programs have ids, and may give roles one name.
   * @param exceptId of the role that is changed @throws AppError 409
   */
  private async requireFreeName(
    session: SignedInSession,
    communityId: string,
    name: string,
    exceptId?: string,
  ): Promise<void> {
    const { roles } = await this.page.load(session, communityId);
    const changed = roles.find(({ id }) => id === exceptId);
    const isTaken = roles.some((role) => role !== changed && fold(role.name) === fold(name));
    // A role that shares its name already may keep it.
    if (isTaken && changed?.name !== name) throw roleNameConflict();
  }

  private async load(
    session: SignedInSession,
    { communityId, roleId }: RoleParams,
  ): Promise<{ community: ManagedCommunity; role: Role }> {
    const community = await this.page.load(session, communityId);
    const role = community.roles.find(({ id }) => id === roleId);
    if (!role) throw roleNotFound();
    return { community, role };
  }

  private async sendList(
    response: Response,
    session: SignedInSession,
    communityId: string,
    resubmitted?: RoleFormView,
  ): Promise<void> {
    const community = await this.page.load(session, communityId);
    const roles = community.roles.map(({ id, name, color }) => ({
      href: toRolePath(communityId, id),
      name,
      color: toCssColor(color),
      rules: countRules(community.tpcs?.filter(({ roleId }) => roleId === id).length ?? 0),
    }));
    const form = resubmitted ?? {
      name: '',
      color: chooseColor(roles.map(({ color }) => color)),
      problems: {},
    };
    const view = { tabs: toCommunityTabs(community, 'roles'), roles, form };
    const status = resubmitted ? REFUSED_FORM_STATUS : 200;
    this.page.send(response, session, community.name, 'community-roles', view, { title: 'Roles', status });
  }

  private async sendRole(
    response: Response,
    session: SignedInSession,
    params: RoleParams,
    resubmitted?: RoleFormView,
  ): Promise<void> {
    const { community, role } = await this.load(session, params);
    const view = {
      tabs: toCommunityTabs(community, 'roles'),
      path: toRolePath(params.communityId, role.id),
      form: resubmitted ?? { name: role.name, color: toCssColor(role.color), problems: {} },
      rules: describeRulesOfRole(community, role.id, await this.words.loadNames()),
    };
    const status = resubmitted ? REFUSED_FORM_STATUS : 200;
    this.page.send(response, session, community.name, 'community-role', view, { title: role.name, status });
  }
}

const toRolePath = (communityId: string, roleId: string): string =>
  `${toRolesPath(communityId)}/${encodeURIComponent(roleId)}`;

const refuse = (error: unknown, { name, color, colorless }: RoleForm): RoleFormView => ({
  name,
  color: colorless === undefined ? color : '',
  problems: toFormProblems(error, 'name', FIELDS),
});

const toColorNumber = ({ color, colorless }: RoleForm): number | null =>
  colorless === undefined && color !== '' ? Number.parseInt(color.slice(1), 16) : null;

const countRules = (count: number): string =>
  count === 0 ? 'No rule gives it yet' : `${count} ${count === 1 ? 'rule gives' : 'rules give'} it`;
