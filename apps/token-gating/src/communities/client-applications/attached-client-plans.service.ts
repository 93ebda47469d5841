import { type Principal } from '@app/auth';
import { Database } from '@app/database';
import { findBestPlan, PLAN_LIMITS, type Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import { approvalRequired } from '../access/community.errors.js';
import { listAttachedClients } from './community-clients.queries.js';

/** The scope of check-roles. */
const RULES_SCOPE: Scope = 'token-gating';

/** What the plans and approvals of its attached client applications allow a community. */
@Injectable()
export class AttachedClientPlansService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
  ) {}

  /**
   * Loads how many members the community may have, by the best plan of its client applications.
   * @returns undefined for no limit. @throws AppError 503 while identity is unavailable
   */
  async loadMemberLimit(communityId: string): Promise<number | undefined> {
    const plans = await this.loadPlans(await this.loadClientIds(communityId));
    const plan = findBestPlan(plans.map((each) => each.plan));
    return plan === 'enterprise' ? undefined : PLAN_LIMITS[plan].members;
  }

  /**
   * Requires that the client application of the request, or one that is attached to the community, is approved for token gating.
   * @throws AppError 403, or 503 while identity is unavailable
   */
  async requireApproval(principal: Principal, communityId: string): Promise<void> {
    const clientIds = new Set(await this.loadClientIds(communityId));
    if (principal.kind === 'caller' && principal.client) clientIds.add(principal.client.id);
    const plans = await this.loadPlans([...clientIds]);
    if (!plans.some(({ scopes }) => scopes.includes(RULES_SCOPE))) throw approvalRequired();
  }

  /** Whether a client application that is attached to the community is approved for token gating. @throws AppError 503 */
  async isApproved(communityId: string): Promise<boolean> {
    const plans = await this.loadPlans(await this.loadClientIds(communityId));
    return plans.some(({ scopes }) => scopes.includes(RULES_SCOPE));
  }

  /** @throws AppError 503 while identity is unavailable */
  async hasScope(clientId: string, scope: Scope): Promise<boolean> {
    return (await this.loadPlans([clientId])).some(({ scopes }) => scopes.includes(scope));
  }

  private async loadClientIds(communityId: string): Promise<string[]> {
    return (await listAttachedClients(this.database, communityId)).map(({ clientId }) => clientId);
  }

  private async loadPlans(clientIds: string[]) {
    return clientIds.length === 0 ? [] : (await this.identity.fetchClientPlans(clientIds)).plans;
  }
}
