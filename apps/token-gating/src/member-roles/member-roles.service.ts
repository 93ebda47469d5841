import type { Principal } from '@app/auth';
import { serviceUnavailable } from '@app/common';
import { Database } from '@app/database';
import { roleRules, type TokenGatingResponse } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { RoleVerdict } from '../check-roles/merge-roles.js';
import { renderAnswer } from '../check-roles/render-answer.js';
import { memberNotFound } from '../communities/members/member.errors.js';
import { EvaluateMembers, type MemberVerdicts } from '../evaluation/evaluate-members.js';
import { loadWallets } from '../evaluation/load-wallets.js';
import { IdentityClient } from '../identity/identity-client.js';
import { StoreRoles } from '../role-assignments/store-roles.js';
import { FindMember, type FoundMember } from './find-member.js';
import { type KeptRole, loadKeptRoles } from './kept-roles.js';
import { unreadable } from './unreadable-rules.js';

/** contract.md section 5, for everything that the answer waits for. */
const BUDGET_MS = 10_000;
/** Rules that change while they are judged are judged anew, but not for ever. */
const MOST_TRIES = 3;

export interface AskedRoles {
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
    private readonly members: FindMember,
    private readonly identity: IdentityClient,
    private readonly evaluation: EvaluateMembers,
    private readonly storing: StoreRoles,
    private readonly database: Database,
    private readonly context: ServiceContext,
  ) {}

  async find({ principal, communityId, userId, lenient }: AskedRoles): Promise<TokenGatingResponse> {
    const signal = AbortSignal.timeout(BUDGET_MS);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const member = await this.members.find(principal, communityId, userId);
      const told = await this.tell(member, signal);
      if (told) return renderAnswer(told.verdicts, lenient, heldOf(told.kept));
    }
    throw serviceUnavailable('rules_changing', 'The rules of the community are being changed.', {
      retryAfter: 1,
    });
  }

  /** @returns undefined when the rules are others by now. @throws AppError 404 when the member has left */
  private async tell(member: FoundMember, signal: AbortSignal): Promise<ToldRoles | undefined> {
    const { community, userId } = member;
    const { data: rules, error } = roleRules.safeParse(community.rules);
    if (error) {
      this.context.logger.error(
        { communityId: community.id, err: error },
        'the rules cannot be read any more',
      );
      const kept = await this.database.transaction((manager) => loadKeptRoles(manager, community.id, userId));
      return { kept, verdicts: kept.map(({ id }) => unreadable(id)) };
    }
    const members = await loadWallets(userId, this.identity);
    const [found] = await this.evaluation.evaluate(rules, members, { signal });
    const verdicts = found ?? { userId, roles: [] };
    const kept = await this.store(member, verdicts);
    return kept && { kept, verdicts: inOrder(kept, verdicts) };
  }

  /** @returns undefined when the rules are others by now. @throws AppError 404 when the member has left */
  private store(
    { community: { id, rulesRevision }, userId, startedAt }: FoundMember,
    verdicts: MemberVerdicts,
  ): Promise<KeptRole[] | undefined> {
    return this.database.transaction(async (manager) => {
      const found = { communityId: id, rulesRevision, startedAt, verdicts: [verdicts] };
      const stored = await this.storing.store(manager, found);
      if (stored.outcome !== 'stored') return undefined;
      if (stored.left.length > 0) throw memberNotFound();
      return loadKeptRoles(manager, id, userId);
    });
  }
}

/** Every role of the community, and whether it is stored to be held. */
interface ToldRoles {
  readonly kept: readonly KeptRole[];
  readonly verdicts: readonly RoleVerdict[];
}

/** Every role of the community; one that no rule grants is nobody's. */
const inOrder = (kept: readonly KeptRole[], { roles }: MemberVerdicts): RoleVerdict[] => {
  const byId = new Map(roles.map((verdict) => [verdict.id, verdict]));
  return kept.map(({ id }) => byId.get(id) ?? { id, kind: 'not_granted', errors: [] });
};

const heldOf = (kept: readonly KeptRole[]): ReadonlySet<string> =>
  new Set(kept.filter(({ isHeld }) => isHeld).map(({ id }) => id));
