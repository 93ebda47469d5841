import { getTenantId, type Principal } from '@app/auth';
import { RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { Database } from '@app/database';
import { storedRoleRules, type TokenGatingResponse } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { type RoleVerdict, toTokenGatingResponse } from '../../checks/roles-response.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import type { ViewedCommunity } from '../../communities/access/community-record.js';
import { communityNotFound, communitySuspended } from '../../communities/access/community.errors.js';
import { canManage, canView, toViewer } from '../../communities/access/membership.js';
import {
  findMember,
  findOwnMember,
  type FoundMember,
} from '../../communities/members/community-members.queries.js';
import { memberNotFound } from '../../communities/members/member.errors.js';
import { loadStoredRoles, type StoredRole } from '../../communities/roles/community-roles.queries.js';
import { RoleAssignmentsService } from '../assignments/role-assignments.service.js';
import { loadMemberWalletsOrFailure } from '../evaluation/load-member-wallets.js';
import { MemberEvaluationService } from '../evaluation/member-evaluation.service.js';
import type { MemberVerdicts } from '../evaluation/judge-condition.js';
import { CheckedMembersSweeper } from './checked-members.js';

/** A member with the community. */
interface CommunityMembership extends FoundMember {
  readonly community: ViewedCommunity;
}

/**
 * Finds members whose roles the principal may see: all members for administrators and attached client applications, only
 * themselves for others, also in a community that they may not see.
 */
@Injectable()
export class MemberLookupService {
  constructor(
    private readonly access: CommunityAccessService,
    private readonly database: Database,
  ) {}

  /**
   * @param id a user id, or an id on the user's platform
   * @throws AppError 403 for members and those who run it where the community is suspended; 404 for what the principal may not see, as for what does not exist; 409 where members of two
   * platforms have this id
   */
  async find(principal: Principal, communityId: string, id: string): Promise<CommunityMembership> {
    const community = await this.access.find(principal, communityId);
    if (community?.isSuspended)
      throw community.isMember || canManage(community) ? communitySuspended() : communityNotFound();
    if (!community || !(community.isMember || canView(community, community))) throw communityNotFound();
    const member = canManage(community)
      ? await findMember(this.database, communityId, id)
      : await findOwnMember(this.database, communityId, id, toViewer(principal).userId);
    if (!member) throw canView(community, community) ? memberNotFound() : communityNotFound();
    return { ...member, community };
  }
}

/** The verdict for rules that another version has stored and this one cannot parse. A retry does not help. */
const createUnreadableRulesVerdict = (id: string): RoleVerdict => ({
  id,
  kind: 'undetermined',
  errors: [
    {
      roleId: id,
      rule: 0,
      name: 'UnreadableRulesError',
      message: 'the rules of the community cannot be read; an administrator can replace them',
      retryable: false,
    },
  ],
});

/** Timeout of everything that the response waits for (contract.md section 5). */
const RESPONSE_TIMEOUT_MS = 10_000;
/** The evaluation is repeated when the rules change meanwhile. */
const MAX_ATTEMPTS = 3;

interface MemberRolesRequest {
  readonly principal: Principal;
  readonly communityId: string;
  /** A user id, or an id on the user's platform. */
  readonly userId: string;
  /** Whether transient failures are returned as errors beside the roles, instead of 503. */
  readonly lenient: boolean;
}

/** Every role of the community with its verdict, and whether it is stored as held. */
interface DeterminedRoles {
  readonly storedRoles: readonly StoredRole[];
  readonly verdicts: readonly RoleVerdict[];
}

/** Determines which roles of a community a member holds now, and stores the changes. */
@Injectable()
export class MemberRolesService {
  constructor(
    private readonly members: MemberLookupService,
    private readonly identity: IdentityClient,
    private readonly evaluation: MemberEvaluationService,
    private readonly assignments: RoleAssignmentsService,
    private readonly database: Database,
    private readonly checked: CheckedMembersSweeper,
    private readonly context: ServiceContext,
  ) {}

  async find({ principal, communityId, userId, lenient }: MemberRolesRequest): Promise<TokenGatingResponse> {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const member = await this.members.find(principal, communityId, userId);
      const roles = await this.determineRoles(member, { tenantId: getTenantId(principal), signal });
      if (!roles) continue;
      this.checked.record(member.community.id, member.userId);
      return toTokenGatingResponse(roles.verdicts, lenient, toHeldRoleIds(roles.storedRoles));
    }
    throw serviceUnavailable(
      'rules_unavailable',
      'The rules of the community are being changed: try again.',
      {
        retryAfter: RETRY_AFTER_SECONDS.turn,
      },
    );
  }

  /** @returns undefined where the rules have changed. @throws AppError 404 where the member has left */
  private async determineRoles(
    member: CommunityMembership,
    options: { readonly tenantId: string; readonly signal: AbortSignal },
  ): Promise<DeterminedRoles | undefined> {
    const { community, userId } = member;
    const { data: rules, error } = storedRoleRules.safeParse(community.rules);
    if (error) {
      this.context.logger.error({ communityId: community.id, err: error }, 'stored rules cannot be parsed');
      const storedRoles = await loadStoredRoles(this.database, community.id, userId);
      return { storedRoles, verdicts: storedRoles.map(({ id }) => createUnreadableRulesVerdict(id)) };
    }
    const members = await loadMemberWalletsOrFailure(community.id, userId, this.identity);
    const [found] = await this.evaluation.evaluate(rules, members, options);
    const verdicts = found ?? { userId, roles: [] };
    const storedRoles = await this.store(member, verdicts);
    return storedRoles && { storedRoles, verdicts: toOrderedVerdicts(storedRoles, verdicts) };
  }

  /** @returns undefined where the rules have changed. @throws AppError 404 where the member has left */
  private store(
    { community: { id, rulesRevision }, userId, startedAt }: CommunityMembership,
    verdicts: MemberVerdicts,
  ): Promise<StoredRole[] | undefined> {
    return this.database.transaction(async (manager) => {
      const evaluation = { communityId: id, rulesRevision, startedAt, verdicts: [verdicts] };
      const stored = await this.assignments.store(manager, evaluation);
      if (stored.outcome !== 'stored') return undefined;
      if (stored.departedMemberIds.length > 0) throw memberNotFound();
      return loadStoredRoles(manager, id, userId);
    });
  }
}

/** Verdicts for all roles of the community, in their order; a role that no rule grants is not granted. */
const toOrderedVerdicts = (storedRoles: readonly StoredRole[], { roles }: MemberVerdicts): RoleVerdict[] => {
  const byId = new Map(roles.map((verdict) => [verdict.id, verdict]));
  return storedRoles.map(({ id }) => byId.get(id) ?? { id, kind: 'not_granted', errors: [] });
};

const toHeldRoleIds = (storedRoles: readonly StoredRole[]): ReadonlySet<string> =>
  new Set(storedRoles.filter(({ isHeld }) => isHeld).map(({ id }) => id));
