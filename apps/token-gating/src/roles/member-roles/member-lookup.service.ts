import { getTenantId, type Principal } from '@app/auth';
import { SECOND_MS } from '@app/common';
import { Database, databaseUnavailable } from '@app/database';
import { type RoleRule, storedRoleRules } from '@app/dto';
import { SharedLoader } from '@app/limits';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { communityNotFound, communitySuspended } from '../../communities/access/community.errors.js';
import { canManage, canView, toViewer } from '../../communities/access/membership.js';
import { ambiguousUser, memberNotFound } from '../../communities/members/member.errors.js';
import {
  findMemberships,
  loadStoredStates,
  type MemberAnswer,
  type MemberKey,
  type MemberQuestion,
  type StoredState,
} from './member-roles.queries.js';

/** A member whose roles the principal may see, with the rules of the community. */
export interface CommunityMember extends MemberKey, Pick<MemberAnswer, 'rulesRevision' | 'startedAt'> {
  /** Undefined for rules that another version has stored and this one cannot parse. */
  readonly rules: readonly RoleRule[] | undefined;
}

interface ParsedRules {
  readonly revision: number;
  readonly rules: readonly RoleRule[];
  /** Characters of the JSON that they were parsed from. */
  readonly size: number;
}

/**
 * Characters of JSON whose parsed rules are kept in memory. The share is nobody's: a tenant with many communities evicts rules of others, who
 * then wait for one parse more. Every request reads the revision from PostgreSQL, so kept rules are never older than the row.
 */
const MAX_KEPT_CHARACTERS = 10_000_000;
/**
 * A failover of PostgreSQL that loses an edit of rules gives its revision to the next edit, and kept rules would be those of the lost edit. Parsing
 * again every ten seconds bounds how long they can be used after the other edit, and costs a community 0.05 ms of processor time for
 * five rules.
 */
const MAX_KEPT_MS = 10 * SECOND_MS;
/** Requests that one statement serves. A request waits for at most the batch that is running and those before it. */
const MAX_BATCH_SIZE = 100;

/** Waiting tenants take turns in a statement. */
interface OfTenant {
  readonly tenantId: string;
}
const tenantOf = ({ tenantId }: OfTenant): string => tenantId;

const createAbortError = (): Error => databaseUnavailable(new Error('waited for too long for a statement'));

/**
 * Looks up members for requests of their roles: whether the principal may see them, the rules, and what is stored. Requests in flight
 * share statements, and nothing but parsed rules is kept between them: who leaves, is detached or deleted is so for the next request.
 * Tenants take turns in a statement, so that a tenant with thousands of waiting requests delays those of another by the statement that is
 * running.
 */
@Injectable()
export class MemberLookupService {
  private readonly keptRules = new LRUCache<string, ParsedRules>({
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: ({ size }) => size,
    ttl: MAX_KEPT_MS,
  });
  private readonly memberships = new SharedLoader({
    load: (questions: readonly (MemberQuestion & OfTenant)[]) => findMemberships(this.database, questions),
    maxBatchSize: MAX_BATCH_SIZE,
    tenantOf,
    createAbortError,
  });
  private readonly states = new SharedLoader({
    load: (members: readonly (MemberKey & OfTenant)[]) => loadStoredStates(this.database, members),
    maxBatchSize: MAX_BATCH_SIZE,
    tenantOf,
    createAbortError,
  });

  constructor(
    private readonly database: Database,
    private readonly context: ServiceContext,
  ) {}

  /**
   * Finds a member whose roles the principal may see: any member for administrators and attached client applications, only
   * themselves for others, also in a community that they may not see.
   * @param id a user id, or an id on the user's platform
   * @throws AppError 403 for members and those who run it where the community is suspended; 404 for what the principal may not see, as for what does not exist; 409 where members of two
   * platforms have this id; 503 when the signal aborts
   */
  async find(
    principal: Principal,
    communityId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<CommunityMember> {
    const known = this.keptRules.get(communityId);
    const viewer = { ...toViewer(principal), tenantId: getTenantId(principal) };
    const question = { ...viewer, communityId, memberId: id, knownRevision: known?.revision };
    const community = await this.memberships.load(question, signal);
    if (community?.isSuspended)
      throw community.isMember || canManage(community) ? communitySuspended() : communityNotFound();
    if (!community || !(community.isMember || canView(community, community))) throw communityNotFound();
    const [userId, other] = community.userIds;
    if (other !== undefined) throw ambiguousUser();
    if (userId === undefined) throw canView(community, community) ? memberNotFound() : communityNotFound();
    const { rulesRevision, startedAt } = community;
    const rules = community.rules
      ? this.parseRules(communityId, rulesRevision, community.rules)
      : known?.rules;
    return { communityId, userId, rulesRevision, startedAt, rules };
  }

  /** @returns undefined where the community is deleted */
  loadState(
    { communityId, userId }: MemberKey,
    { tenantId, signal }: OfTenant & { readonly signal: AbortSignal },
  ): Promise<StoredState | undefined> {
    return this.states.load({ communityId, userId, tenantId }, signal);
  }

  private parseRules(
    communityId: string,
    revision: number,
    raw: readonly unknown[],
  ): readonly RoleRule[] | undefined {
    const { data, error } = storedRoleRules.safeParse(raw);
    if (error) this.context.logger.error({ communityId, err: error }, 'stored rules cannot be parsed');
    else this.keptRules.set(communityId, { revision, rules: data, size: JSON.stringify(raw).length });
    return data;
  }
}
