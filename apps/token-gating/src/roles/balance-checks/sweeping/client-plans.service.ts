import type { PlanName } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../../clients/identity-client.js';

const PLANS_BY_RANK: readonly PlanName[] = ['free', 'paid', 'enterprise'];

/** The best plan of some client applications. Who has none is taken for free. */
@Injectable()
export class ClientPlansService {
  constructor(
    private readonly identity: IdentityClient,
    private readonly context: ServiceContext,
  ) {}

  /**
   * @param groups 500 client applications in all at most
   * @returns one plan per group, in order; undefined where it is not known because identity is away
   */
  async loadBestPlans(groups: readonly (readonly string[])[]): Promise<(PlanName | undefined)[]> {
    const plans = await this.load([...new Set(groups.flat())]);
    return groups.map((clientIds) => {
      if (clientIds.length === 0) return 'free';
      return plans && findBestPlan(clientIds.map((id) => plans.get(id) ?? 'free'));
    });
  }

  private async load(clientIds: string[]): Promise<Map<string, PlanName> | undefined> {
    if (clientIds.length === 0) return new Map();
    try {
      const { plans } = await this.identity.fetchClientPlans(clientIds);
      return new Map(plans.map(({ clientId, plan }) => [clientId, plan]));
    } catch (error) {
      this.context.logger.warn({ err: error }, 'plans are not known, checking as often as for the best');
      return undefined;
    }
  }
}

const findBestPlan = (plans: readonly PlanName[]): PlanName =>
  PLANS_BY_RANK.findLast((rank) => plans.includes(rank)) ?? 'free';
