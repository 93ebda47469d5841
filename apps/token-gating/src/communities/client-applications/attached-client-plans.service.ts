import { type Principal } from '@app/auth';
import { Database, type Queryable } from '@app/database';
import { type ClientPlan, findBestPlan, PLAN_LIMITS, type Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import { approvalRequired } from '../access/community.errors.js';
import type { CommunitySummary } from '../access/community-record.js';
import { PortalCommunitiesConfig } from '../without-application/portal-communities.config.js';
import { MAX_MEMBERS_WITHOUT_APPLICATION } from '../without-application/rule-limits.js';
import { listAttachedClients } from './community-clients.queries.js';

/** The scope of check-roles. */
const RULES_SCOPE: Scope = 'token-gating';

/** Whether a client application may have rules checked. */
export const isApprovedForRules = ({ scopes }: Pick<ClientPlan, 'scopes'>): boolean =>
  scopes.includes(RULES_SCOPE);

/** How many members a community may have; no `limit` is none. */
export interface MemberLimit {
  readonly limit: number | undefined;
  /** Whether the limit is that of a community without an approved client application. */
  readonly isWithoutApplication: boolean;
}

/** What the plans and approvals of its attached client applications allow a community. */
@Injectable()
export class AttachedClientPlansService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly config: PortalCommunitiesConfig,
  ) {}

  /**
   * Loads how many members the community may have, by the best plan of its client applications. One for which no approved client
   * application stands has a small limit of its own. @throws AppError 503 while identity is unavailable
   */
  async loadMemberLimit({
    id,
    isWithoutApplication,
  }: Pick<CommunitySummary, 'id' | 'isWithoutApplication'>): Promise<MemberLimit> {
    const plans = await this.loadPlans(await this.loadClientIds(id));
    if (isWithoutApplication && !plans.some(isApprovedForRules))
      return { limit: MAX_MEMBERS_WITHOUT_APPLICATION, isWithoutApplication };
    const plan = findBestPlan(plans.map((each) => each.plan));
    const limit = plan === 'enterprise' ? undefined : PLAN_LIMITS[plan].members;
    return { limit, isWithoutApplication: false };
  }

  /**
   * Whether the client application of the request, or one that is attached to the community, is approved for token gating.
   * @throws AppError 403 where it is not and this deployment has no communities without one, 503 while identity is unavailable
   */
  async checkApproval(
    principal: Principal,
    communityId: string,
    db: Queryable = this.database,
  ): Promise<boolean> {
    const clientIds = new Set(await this.loadClientIds(communityId, db));
    if (principal.kind === 'caller' && principal.client) clientIds.add(principal.client.id);
    const plans = await this.loadPlans([...clientIds]);
    const isApproved = plans.some(isApprovedForRules);
    if (!isApproved && !this.config.PORTAL_COMMUNITIES) throw approvalRequired();
    return isApproved;
  }

  /**
   * Whether a community that the request creates has no approved client application yet. Never where this deployment has no such
   * communities. @throws AppError 503 while identity is unavailable
   */
  async createsWithoutApplication(principal: Principal): Promise<boolean> {
    if (!this.config.PORTAL_COMMUNITIES) return false;
    const clientId = principal.kind === 'caller' ? principal.client?.id : undefined;
    return clientId === undefined || !(await this.hasScope(clientId, RULES_SCOPE));
  }

  /** Whether a client application that is attached to the community is approved for token gating. @throws AppError 503 */
  async isApproved(communityId: string): Promise<boolean> {
    const plans = await this.loadPlans(await this.loadClientIds(communityId));
    return plans.some(isApprovedForRules);
  }

  /** @throws AppError 503 while identity is unavailable */
  async hasScope(clientId: string, scope: Scope): Promise<boolean> {
    return (await this.loadPlans([clientId])).some(({ scopes }) => scopes.includes(scope));
  }

  private async loadClientIds(communityId: string, db: Queryable = this.database): Promise<string[]> {
    return (await listAttachedClients(db, communityId)).map(({ clientId }) => clientId);
  }

  private async loadPlans(clientIds: string[]) {
    return clientIds.length === 0 ? [] : (await this.identity.fetchClientPlans(clientIds)).plans;
  }
}
