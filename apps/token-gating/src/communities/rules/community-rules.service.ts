import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { type RawRoleRule, rawRoleRule, type RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { TokenListService } from '../../checks/token-lists/token-list.service.js';
import { RuleServices } from '../../rules/rule-services.js';
import { ChainService } from '../../rules/chains/chain.service.js';
import { updateRules } from '../access/communities.queries.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityNotFound } from '../access/community.errors.js';
import { canManage } from '../access/membership.js';
import { AttachedClientPlansService } from '../client-applications/attached-client-plans.service.js';
import { loadRoles } from '../roles/community-roles.queries.js';
import { lockAssignmentsExclusive } from '../roles/role-assignments.queries.js';
import { checkRoleRules, checkRolesExist } from './check-role-rules.js';

const rawRules = z.array(rawRoleRule);

/** Reads and replaces the rules that grant the roles of a community. */
@Injectable()
export class CommunityRulesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly clientPlans: AttachedClientPlansService,
    private readonly chains: ChainService,
    private readonly lists: TokenListService,
    private readonly services: RuleServices,
  ) {}

  /** @throws AppError 404 for principals who neither are members nor manage the community */
  async get(principal: Principal, communityId: string): Promise<RawRoleRule[]> {
    const community = await this.access.requireViewer(principal, communityId);
    if (!community.isMember && !canManage(community)) throw communityNotFound();
    return rawRules.parse(community.rules);
  }

  /**
   * Replaces all rules, and has all members checked. Does nothing when the rules are unchanged. Rules make chain reads for every
   * member, so they need the approval that check-roles needs; no rules need none.
   * @param raw the rules before parsing, which are what is stored
   * @throws AppError 400 for rules that cannot be checked, 403 without an approved client application
   */
  async replace(
    principal: Principal,
    communityId: string,
    rules: readonly RoleRule[],
    raw: readonly RawRoleRule[],
  ): Promise<RawRoleRule[]> {
    await this.access.requireAdministrator(principal, communityId);
    checkRoleRules(rules, this.chains, this.lists, this.services);
    if (rules.length > 0) await this.clientPlans.requireApproval(principal, communityId);
    return this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      const community = await this.access.requireAdministrator(principal, communityId, manager);
      const roles = (await loadRoles(manager, [communityId])).get(communityId) ?? [];
      checkRolesExist(rules, new Set(roles.map(({ id }) => id)));
      if (!isDeepStrictEqual(community.rules, raw)) await updateRules(manager, communityId, raw);
      return [...raw];
    });
  }
}
