import { badRequest, digestJson } from '@app/common';
import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@app/auth';
import { Database, type Queryable } from '@app/database';
import {
  collectRulesWithPaths,
  hideListedAccounts,
  MAX_WALLETS_PER_USER,
  type RawRoleRule,
  rawRoleRule,
  type RoleRule,
  type TokenGatingRule,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import {
  checkRuleTypes,
  checkChains,
  checkTokenLists,
  countInlineReads,
  MAX_READS,
} from '../../checks/validate-rules.js';
import { TokenListService } from '../../checks/token-list.service.js';
import { RuleServices } from '../../rules/rule-services.js';
import { listWatchedContracts } from '../../rules/watched-contracts.js';
import { ChainService } from '../../rules/chains/chain.service.js';
import {
  clearWithoutApplication,
  markWithoutApplication,
  updateRules,
} from '../access/communities.queries.js';
import type { ViewedCommunity } from '../access/community-record.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityNotFound, rulesChanged } from '../access/community.errors.js';
import { canManage } from '../access/membership.js';
import { AttachedClientPlansService } from '../client-applications/attached-client-plans.service.js';
import { memberLimitWithoutApplicationExceeded } from '../members/member.errors.js';
import { loadRoles } from '../roles/community-roles.queries.js';
import { lockAssignmentsExclusive } from '../roles/role-assignments.queries.js';
import { checkOwnedWithoutApplication } from '../without-application/check-owned.js';
import {
  checkRulesWithoutApplication,
  MAX_MEMBERS_WITHOUT_APPLICATION,
} from '../without-application/rule-limits.js';
import { storeCommunityContracts } from './community-contracts.queries.js';

/** Errors of one response. */
const MAX_ISSUES = 50;

/**
 * Validates rules without reading a chain, like check-roles does. They must fit the read budget of a user with the most
 * wallets that one may have, so that linking a wallet never makes a role undetermined.
 * @throws AppError 400
 */
function checkRoleRules(
  rules: readonly RoleRule[],
  chains: Pick<ChainService, 'find'>,
  lists: Pick<TokenListService, 'getBlockReason'>,
  services: RuleServices,
): void {
  const rulesWithPaths = collectRulesWithPaths(rules);
  const leaves = rulesWithPaths.map(({ rule }) => rule);
  const getPath = (index: number) => `rules.${rulesWithPaths[index]?.path ?? ''}`;
  checkChains(leaves, chains, getPath);
  checkRuleTypes(leaves, services, getPath);
  checkReadsPerMember(leaves);
  checkTokenLists(leaves, lists, getPath);
}

/** @throws AppError 400 */
function checkReadsPerMember(leaves: readonly TokenGatingRule[]): void {
  const reads = countInlineReads(leaves, MAX_WALLETS_PER_USER);
  if (reads <= MAX_READS) return;
  const message =
    `need ${reads} chain reads for a member with ${MAX_WALLETS_PER_USER} wallets, and at most ${MAX_READS} are allowed: ` +
    'use fewer token ids';
  throw badRequest('rule_read_limit_exceeded', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}

/** @throws AppError 400 with an issue for every rule whose role the community does not have */
function checkRolesExist(rules: readonly RoleRule[], roleIds: ReadonlySet<string>): void {
  const issues = rules.flatMap(({ roleId }, index) =>
    roleIds.has(roleId)
      ? []
      : [{ path: `rules.${index}.roleId`, message: `${roleId} is not a role of the community` }],
  );
  const [first] = issues;
  if (first)
    throw badRequest('role_invalid', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MAX_ISSUES),
    });
}

const rawRules = z.array(rawRoleRule);

interface SubmittedRules {
  readonly rules: readonly RawRoleRule[];
  /** Absent for a caller who replaces whatever there is. */
  readonly replaces?: readonly RawRoleRule[] | undefined;
  /** The digest of the same. */
  readonly replacesDigest?: string | undefined;
}

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
    const rules = rawRules.parse(community.rules);
    return canManage(community) ? rules : hideListedAccounts(rules);
  }

  /**
   * Replaces all rules, and has all members checked. Does nothing when the rules are unchanged. Rules make chain reads for every
   * member, so they need the approval that check-roles needs, or fit the limits of communities without one; no rules need neither.
   * @param submitted the rules before parsing, which are what is stored, and those that the caller read before
   * @throws AppError 400 for rules that cannot be checked, 403 without an approved client application, 409 where the community has
   *   other rules by now than the caller read
   */
  async replace(
    principal: Principal,
    communityId: string,
    rules: readonly RoleRule[],
    { rules: raw, replaces, replacesDigest }: SubmittedRules,
  ): Promise<RawRoleRule[]> {
    const wasApproved = await this.check(principal, communityId, rules);
    return this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      const community = await this.access.requireAdministrator(principal, communityId, manager);
      // An application may have been attached meanwhile, which ends the limits of the community before they began.
      const isApproved =
        wasApproved ||
        (!community.isWithoutApplication &&
          (await this.clientPlans.checkApproval(principal, communityId, manager)));
      await this.checkRoles(manager, communityId, rules);
      if (isApproved && rules.length > 0) await clearWithoutApplication(manager, [communityId]);
      if (isDeepStrictEqual(community.rules, raw)) return [...raw];
      if (replaces && !isDeepStrictEqual(community.rules, replaces)) throw rulesChanged();
      if (replacesDigest !== undefined && digestJson(community.rules) !== replacesDigest)
        throw rulesChanged();
      if (!isApproved) await this.admitWithoutApplication(manager, community);
      await updateRules(manager, communityId, raw);
      await storeCommunityContracts(manager, communityId, isApproved ? listWatchedContracts(rules) : []);
      return [...raw];
    });
  }

  /**
   * Checks rules as `replace` does, without storing them.
   * @returns whether an approved client application stands for them, or none is needed
   * @throws AppError 400 for rules that cannot be checked, 403 and 404 for users who are no administrators
   */
  async check(principal: Principal, communityId: string, rules: readonly RoleRule[]): Promise<boolean> {
    await this.access.requireAdministrator(principal, communityId);
    checkRoleRules(rules, this.chains, this.lists, this.services);
    const isApproved = rules.length === 0 || (await this.clientPlans.checkApproval(principal, communityId));
    if (!isApproved) checkRulesWithoutApplication(collectRulesWithPaths(rules));
    await this.checkRoles(this.database, communityId, rules);
    return isApproved;
  }

  private async checkRoles(db: Queryable, communityId: string, rules: readonly RoleRule[]): Promise<void> {
    const roles = (await loadRoles(db, [communityId])).get(communityId) ?? [];
    checkRolesExist(rules, new Set(roles.map(({ id }) => id)));
  }

  /** @throws AppError 409 where the owner has too many such communities, or this one has too many members */
  private async admitWithoutApplication(
    manager: EntityManager,
    { id, ownerId, memberCount, isWithoutApplication }: ViewedCommunity,
  ): Promise<void> {
    if (memberCount > MAX_MEMBERS_WITHOUT_APPLICATION) throw memberLimitWithoutApplicationExceeded();
    if (isWithoutApplication) return;
    await checkOwnedWithoutApplication(manager, ownerId);
    await markWithoutApplication(manager, id);
  }
}
