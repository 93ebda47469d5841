import { getTenantId, type Principal } from '@app/auth';
import { MINUTE_MS, RETRY_AFTER_SECONDS, SECOND_MS, serviceUnavailable } from '@app/common';
import { Database } from '@app/database';
import type { RoleRule, TokenGatingExplanation, TokenGatingResponse } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { memberChecksQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ExplanationRequest } from '../../checks/check-roles.service.js';
import { type RoleVerdict, toTokenGatingResponse } from '../../checks/roles-response.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { createNameBasedUuid } from '../../callbacks/delivery.js';
import { memberNotFound } from '../../communities/members/member.errors.js';
import { loadStoredRoles, type StoredRole } from '../../communities/roles/community-roles.queries.js';
import { AnnouncedEvaluationsService } from '../assignments/announced-evaluations.js';
import { RoleAssignmentsService } from '../assignments/role-assignments.service.js';
import { hasDeterminedRole, hasRetryableRole, type MemberVerdicts } from '../evaluation/member-verdicts.js';
import { loadMemberWalletsOrFailure, type MemberWallets } from '../evaluation/load-member-wallets.js';
import { MemberEvaluationService } from '../evaluation/member-evaluation.service.js';
import { MemberAccountsService } from '../transfers/member-accounts.service.js';
import { CheckedMembersSweeper } from './checked-members.js';
import { type CommunityMember, MemberLookupService } from './member-lookup.service.js';
import type { StoredState } from './member-roles.queries.js';

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
/**
 * Timeout of what is stored, after an evaluation that may have used all of the time above: its answer still says what could be read, and a
 * change still adds a member check.
 */
const STATE_TIMEOUT_MS = 2 * SECOND_MS;
/** A member is left to one member check in this time: such a check is retried for as long by default (CHECK_REREAD_FOR_MS). */
const LATER_CHECK_MS = 10 * MINUTE_MS;
/** The evaluation is repeated when the rules change meanwhile. */
const MAX_ATTEMPTS = 3;

interface MemberRolesRequest {
  readonly principal: Principal;
  readonly communityId: string;
  /** A user id, or an id on the user's platform. */
  readonly userId: string;
  /** Whether transient failures are returned as errors beside the roles, instead of 503. */
  readonly lenient: boolean;
  /** Whether each rule is explained, and whether a user sees their own wallets and what these hold. Others see codes only. */
  readonly explanation?: ExplanationRequest | undefined;
}

/** Every role of the community with its verdict, and whether it is stored as held. */
interface DeterminedRoles {
  readonly storedRoles: readonly StoredRole[];
  readonly verdicts: readonly RoleVerdict[];
  readonly explanations?: readonly TokenGatingExplanation[] | undefined;
}

/** A member with rules that can be evaluated. */
type EvaluatedMember = CommunityMember & { readonly rules: readonly RoleRule[] };

/** A member's verdicts with the wallets that they are about. */
interface Evaluated {
  readonly wallets: MemberWallets;
  readonly verdicts: MemberVerdicts;
}

interface EvaluationOptions {
  readonly tenantId: string;
  readonly signal: AbortSignal;
  /** Undefined where nobody has asked for explanations. `viewerId` is the user who may see their own wallets, if there is one. */
  readonly explanation: { readonly viewerId: string | undefined } | undefined;
}

/**
 * Determines which roles of a community a member holds now, and stores the changes. Where nothing has changed it writes nothing:
 * two statements, which requests in flight share (docs/adr/0105).
 */
@Injectable()
export class MemberRolesService {
  constructor(
    private readonly members: MemberLookupService,
    private readonly identity: IdentityClient,
    private readonly evaluation: MemberEvaluationService,
    private readonly announcements: AnnouncedEvaluationsService,
    private readonly assignments: RoleAssignmentsService,
    private readonly accounts: MemberAccountsService,
    private readonly database: Database,
    private readonly checked: CheckedMembersSweeper,
    private readonly outbox: OutboxService,
  ) {}

  async find({
    principal,
    communityId,
    userId,
    lenient,
    explanation,
  }: MemberRolesRequest): Promise<TokenGatingResponse> {
    const user = principal.kind === 'caller' ? principal.user : undefined;
    const options = {
      tenantId: getTenantId(principal),
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      explanation: explanation && { viewerId: explanation.showsUserWallets ? user?.id : undefined },
    };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const member = await this.members.find(principal, communityId, userId, options.signal);
      const roles = await this.determineRoles(member, options);
      if (!roles) continue;
      this.checked.record(member.communityId, member.userId);
      const answer = toTokenGatingResponse(roles.verdicts, lenient, toHeldRoleIds(roles.storedRoles));
      return explanation ? { ...answer, explanations: [...(roles.explanations ?? [])] } : answer;
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
    { rules, ...member }: CommunityMember,
    options: EvaluationOptions,
  ): Promise<DeterminedRoles | undefined> {
    if (!rules) {
      const storedRoles = await loadStoredRoles(this.database, member.communityId, member.userId);
      return { storedRoles, verdicts: storedRoles.map(({ id }) => createUnreadableRulesVerdict(id)) };
    }
    const evaluated = { ...member, rules };
    const found = await this.evaluate(evaluated, options);
    const { verdicts } = found;
    const state = await this.members.loadState(member, {
      tenantId: options.tenantId,
      signal: AbortSignal.timeout(STATE_TIMEOUT_MS),
    });
    if (state?.rulesRevision !== member.rulesRevision) return undefined;
    if (!state.isMember) throw memberNotFound();
    if (!changesNothing(verdicts, state)) return this.evaluateAndStore(evaluated, options);
    if (!state.isSettled && hasDeterminedRole(verdicts))
      return (await this.confirm(evaluated, found)) ?? this.evaluateAndStore(evaluated, options);
    const held = new Set(state.heldRoleIds);
    const storedRoles = state.roleIds.map((id) => ({ id, isHeld: held.has(id) }));
    return toDeterminedRoles(storedRoles, verdicts);
  }

  private async evaluate(
    { communityId, userId, rules }: EvaluatedMember,
    options: EvaluationOptions,
  ): Promise<Evaluated> {
    const wallets = await loadMemberWalletsOrFailure(communityId, userId, this.identity, options);
    const { explanation } = options;
    if (explanation) {
      const showsHoldings = explanation.viewerId === userId;
      const explained = { ...options, communityId, showsHoldings };
      return { wallets, verdicts: await this.evaluation.explain(rules, wallets, explained) };
    }
    const [verdicts] = await this.evaluation.evaluate(rules, [wallets], { ...options, communityId });
    return { wallets, verdicts: verdicts ?? { userId, roles: [] } };
  }

  /**
   * Stores the time of an evaluation that changes nothing, where one that began earlier may still change the member's roles: that one will
   * find a later one. It needs no announcement, because it makes no answer of others wrong. Announcing it would let requests for one
   * member, each of which finds the announcement of the one before, go on announcing themselves for ever.
   * @returns undefined where it would change something by now. Where a later one is stored, whatever began earlier finds that.
   */
  private async confirm(member: EvaluatedMember, evaluated: Evaluated): Promise<DeterminedRoles | undefined> {
    try {
      return await this.database.transaction(async (manager) => {
        const stored = await this.store(manager, member, evaluated);
        if (stored.outcome !== 'stored' || stored.changes > 0) throw new NotConfirmedError();
        const storedRoles = await loadStoredRoles(manager, member.communityId, member.userId);
        return toDeterminedRoles(storedRoles, evaluated.verdicts);
      });
    } catch (error) {
      if (error instanceof NotConfirmedError) return undefined;
      throw error;
    }
  }

  /**
   * Announces an evaluation before it reads anything, so that reads which find nothing to store do so only while no earlier
   * evaluation can undo what they have answered.
   * @returns undefined where the rules have changed. @throws AppError 404 where the member has left
   */
  private async evaluateAndStore(
    member: EvaluatedMember,
    options: EvaluationOptions,
  ): Promise<DeterminedRoles | undefined> {
    const { communityId, userId } = member;
    return this.announcements.run(communityId, [userId], async (announcement) => {
      const evaluated = await this.evaluate(member, options);
      const { verdicts } = evaluated;
      const storedRoles = await this.database.transaction(async (manager) => {
        const stored = await this.store(manager, { ...member, ...announcement }, evaluated);
        if (stored.outcome !== 'stored') return undefined;
        if (options.signal.aborted && hasRetryableRole(verdicts)) await this.checkLater(manager, member);
        return loadStoredRoles(manager, communityId, userId);
      });
      return storedRoles && toDeterminedRoles(storedRoles, verdicts);
    });
  }

  /** @throws AppError 404 where the member has left */
  private async store(
    manager: EntityManager,
    {
      communityId,
      rules,
      rulesRevision,
      startedAt,
      announcementId,
    }: EvaluatedMember & { readonly announcementId?: string },
    { wallets, verdicts }: Evaluated,
  ) {
    const accounts = this.accounts.hash(rules, [wallets]);
    const evaluation = { communityId, rulesRevision, startedAt, verdicts: [verdicts], accounts };
    const announced = announcementId === undefined ? evaluation : { ...evaluation, announcementId };
    const stored = await this.assignments.store(manager, announced);
    if (stored.outcome !== 'stored') return stored;
    if (stored.departedMemberIds.length > 0) throw memberNotFound();
    return stored;
  }

  /**
   * Leaves a member to a member check, which has as long as it needs: where one evaluation takes more than half of a request's time, no
   * request has time for the second one, which stores. A member has one such check in ten minutes, however often the roles are requested,
   * because a check that meets a node which is away is retried for about as long.
   */
  private async checkLater(manager: EntityManager, { communityId, userId }: EvaluatedMember): Promise<void> {
    const period = String(Math.floor(Date.now() / LATER_CHECK_MS));
    const id = createNameBasedUuid('member check', 'out of time', communityId, userId, period);
    await this.outbox.add(manager, memberChecksQueue, [{ version: 1, id, communityId, userIds: [userId] }]);
  }
}

/** Rolls a transaction back, so that it stores nothing. */
class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';
}

/** Whether each role is stored as it was determined. */
function changesNothing(verdicts: MemberVerdicts, { roleIds, heldRoleIds }: StoredState): boolean {
  const kinds = new Map(verdicts.roles.map(({ id, kind }) => [id, kind]));
  const held = new Set(heldRoleIds);
  const revokesNone = heldRoleIds.every((id) => (kinds.get(id) ?? 'not_granted') !== 'not_granted');
  return revokesNone && roleIds.every((id) => held.has(id) || kinds.get(id) !== 'granted');
}

/** Verdicts for all roles of the community, in their order; a role that no rule grants is not granted. */
const toOrderedVerdicts = (storedRoles: readonly StoredRole[], { roles }: MemberVerdicts): RoleVerdict[] => {
  const byId = new Map(roles.map((verdict) => [verdict.id, verdict]));
  return storedRoles.map(({ id }) => byId.get(id) ?? { id, kind: 'not_granted', errors: [] });
};

const toDeterminedRoles = (
  storedRoles: readonly StoredRole[],
  verdicts: MemberVerdicts,
): DeterminedRoles => ({
  storedRoles,
  verdicts: toOrderedVerdicts(storedRoles, verdicts),
  explanations: verdicts.explanations,
});

const toHeldRoleIds = (storedRoles: readonly StoredRole[]): ReadonlySet<string> =>
  new Set(storedRoles.filter(({ isHeld }) => isHeld).map(({ id }) => id));
