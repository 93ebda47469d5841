import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@app/auth';
import { Database, rowsOf } from '@app/database';
import { type RoleRule, writtenRoleRule, type WrittenRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { EvmChains } from '../../chains/evm-chains.js';
import { stopStoring } from '../../role-assignments/storing-lock.js';
import { TokenLists } from '../../token-lists/token-lists.js';
import { CommunityAccess } from '../access/community-access.js';
import { communityNotFound } from '../access/community.errors.js';
import { runs } from '../access/standing.js';
import { loadRoles } from '../roles/load-roles.js';
import { checkRoleRules, checkRolesExist } from './check-role-rules.js';

// The members are looked at again as soon as may be.
const REPLACE = `
  UPDATE token_gating.communities
  SET rules = $2::jsonb, rules_revision = rules_revision + 1, next_check_at = now() WHERE id = $1`;

const rulesAsWritten = z.array(writtenRoleRule);

/** Which rules grant the roles of a community. */
@Injectable()
export class RulesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccess,
    private readonly chains: EvmChains,
    private readonly lists: TokenLists,
  ) {}

  /** @throws AppError 404 for those who are no members and do not run the community */
  async get(caller: Principal, communityId: string): Promise<WrittenRoleRule[]> {
    const community = await this.access.see(caller, communityId);
    if (!community.isMember && !runs(community)) throw communityNotFound();
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
    written: readonly WrittenRoleRule[],
  ): Promise<WrittenRoleRule[]> {
    await this.access.administer(caller, communityId);
    checkRoleRules(rules, this.chains, this.lists);
    return this.database.transaction(async (manager) => {
      await stopStoring(manager, communityId);
      const before = await this.access.administer(caller, communityId, manager);
      const rolesOf = await loadRoles(manager, [communityId]);
      checkRolesExist(rules, new Set(rolesOf(communityId).map(({ id }) => id)));
      if (!isDeepStrictEqual(before.rules, written))
        await rowsOf(manager, REPLACE, [communityId, JSON.stringify(written)]);
      return [...written];
    });
  }
}
