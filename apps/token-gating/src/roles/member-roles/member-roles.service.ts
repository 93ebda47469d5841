import type { Principal } from '@app/auth';
import { serviceUnavailable } from '@app/common';
import { Database } from '@app/database';
import { roleRules, type TokenGatingResponse } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { RoleVerdict } from '../../checks/merge-roles.js';
import { toTokenGatingResponse } from '../../checks/to-token-gating-response.js';
import { memberNotFound } from '../../communities/members/member.errors.js';
import { MemberEvaluationService, type MemberVerdicts } from '../evaluation/member-evaluation.service.js';
import { loadMemberWalletsOrFailure } from '../evaluation/load-member-wallets.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { RoleAssignmentsService } from '../assignments/role-assignments.service.js';
import { MemberLookupService, type FoundMember } from './member-lookup.service.js';
import { type StoredRole, loadStoredRoles } from './load-stored-roles.js';

/** What can be told of a role by rules of another build, which this one cannot read: nothing, however often it is asked. */
export const createUnreadableRulesVerdict = (id: string): RoleVerdict => ({
  id,
  kind: 'undetermined',
  errors: [
    {
      roleId: id,
      rule: 0,
      name: 'UnreadableRulesError',
      message: 'the rules of the community cannot be read; an administrator can write them anew',
      retryable: false,
    },
  ],
});

/** contract.md section 5, for everything that the answer waits for. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Rules that change while they are judged are judged anew, but not for ever. */
const MAX_ATTEMPTS = 3;

export interface MemberRolesRequest {
  readonly principal: Principal;
  readonly communityId: string;
  /** The user's id, or what the user goes by on their platform. */
  readonly userId: string;
  /** Transient failures are answered as errors beside the roles instead of as 503. */
  readonly lenient: boolean;
}

/** Which roles of a community does a member hold now? What differs from what is stored is stored. */
@Injectable()
export class MemberRolesService {
  constructor(
    private readonly members: MemberLookupService,
    private readonly identity: IdentityClient,
    private readonly evaluation: MemberEvaluationService,
    private readonly storing: RoleAssignmentsService,
    private readonly database: Database,
    private readonly context: ServiceContext,
  ) {}

  async find({ principal, communityId, userId, lenient }: MemberRolesRequest): Promise<TokenGatingResponse> {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
      const member = await this.members.find(principal, communityId, userId);
      const told = await this.tell(member, signal);
      if (told) return toTokenGatingResponse(told.verdicts, lenient, toHeldRoleIds(told.kept));
    }
    throw serviceUnavailable('rules_unavailable', 'The rules of the community are being changed.', {
      retryAfter: 1,
    });
  }

  /** @returns undefined when the rules are others by now. @throws AppError 404 when the member has left */
  private async tell(member: FoundMember, signal: AbortSignal): Promise<DeterminedRoles | undefined> {
    const { community, userId } = member;
    const { data: rules, error } = roleRules.safeParse(community.rules);
    if (error) {
      this.context.logger.error(
        { communityId: community.id, err: error },
        'the rules cannot be read any more',
      );
      const kept = await this.database.transaction((manager) =>
        loadStoredRoles(manager, community.id, userId),
      );
      return { kept, verdicts: kept.map(({ id }) => createUnreadableRulesVerdict(id)) };
    }
    const members = await loadMemberWalletsOrFailure(userId, this.identity);
    const [found] = await this.evaluation.evaluate(rules, members, { signal });
    const verdicts = found ?? { userId, roles: [] };
    const kept = await this.store(member, verdicts);
    return kept && { kept, verdicts: toOrderedVerdicts(kept, verdicts) };
  }

  /** @returns undefined when the rules are others by now. @throws AppError 404 when the member has left */
  private store(
    { community: { id, rulesRevision }, userId, startedAt }: FoundMember,
    verdicts: MemberVerdicts,
  ): Promise<StoredRole[] | undefined> {
    return this.database.transaction(async (manager) => {
      const found = { communityId: id, rulesRevision, startedAt, verdicts: [verdicts] };
      const stored = await this.storing.store(manager, found);
      if (stored.outcome !== 'stored') return undefined;
      if (stored.left.length > 0) throw memberNotFound();
      return loadStoredRoles(manager, id, userId);
    });
  }
}

/** Every role of the community, and whether it is stored to be held. */
interface DeterminedRoles {
  readonly kept: readonly StoredRole[];
  readonly verdicts: readonly RoleVerdict[];
}

/** Every role of the community; one that no rule grants is nobody's. */
const toOrderedVerdicts = (kept: readonly StoredRole[], { roles }: MemberVerdicts): RoleVerdict[] => {
  const byId = new Map(roles.map((verdict) => [verdict.id, verdict]));
  return kept.map(({ id }) => byId.get(id) ?? { id, kind: 'not_granted', errors: [] });
};

const toHeldRoleIds = (kept: readonly StoredRole[]): ReadonlySet<string> =>
  new Set(kept.filter(({ isHeld }) => isHeld).map(({ id }) => id));
