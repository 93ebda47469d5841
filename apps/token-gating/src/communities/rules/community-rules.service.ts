import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@app/auth';
import { Database, queryRows } from '@app/database';
import { type RoleRule, rawRoleRule, type RawRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { EvmChainService } from '../../rules/chains/evm-chain.service.js';
import { lockAssignmentsExclusive } from '../roles/role-assignment-lock.js';
import { TokenListService } from '../../checks/token-lists/token-list.service.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityNotFound } from '../access/community.errors.js';
import { canManage } from '../access/membership.js';
import { loadRoles } from '../roles/load-roles.js';
import { checkRoleRules, checkRolesExist } from './check-role-rules.js';

// The members are looked at again as soon as may be.
const REPLACE = `
  UPDATE token_gating.communities
  SET rules = $2::jsonb, rules_revision = rules_revision + 1, next_check_at = now() WHERE id = $1`;

const rulesAsWritten = z.array(rawRoleRule);

/** Which rules grant the roles of a community. */
@Injectable()
export class CommunityRulesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly chains: EvmChainService,
    private readonly lists: TokenListService,
  ) {}

  /** @throws AppError 404 for those who are no members and do not run the community */
  async get(caller: Principal, communityId: string): Promise<RawRoleRule[]> {
    const community = await this.access.requireViewer(caller, communityId);
    if (!community.isMember && !canManage(community)) throw communityNotFound();
    return rulesAsWritten.parse(community.rules);
  }

  /**
   * The whole list at once. Nothing happens when it is the same.
   * @param written what `rules` were read from: that is kept
   * @throws AppError 400 for what cannot be checked
   */
  async replace(
    caller: Principal,
    communityId: string,
    rules: readonly RoleRule[],
    written: readonly RawRoleRule[],
  ): Promise<RawRoleRule[]> {
    await this.access.requireAdministrator(caller, communityId);
    checkRoleRules(rules, this.chains, this.lists);
    return this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      const before = await this.access.requireAdministrator(caller, communityId, manager);
      const rolesOf = await loadRoles(manager, [communityId]);
      checkRolesExist(rules, new Set(rolesOf(communityId).map(({ id }) => id)));
      if (!isDeepStrictEqual(before.rules, written))
        await queryRows(manager, REPLACE, [communityId, JSON.stringify(written)]);
      return [...written];
    });
  }
}
