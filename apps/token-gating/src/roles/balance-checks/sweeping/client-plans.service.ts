import { findBestPlan, type PlanName } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../../clients/identity-client.js';

/** Loads the best plan of groups of client applications. Unknown applications count as free. */
@Injectable()
export class ClientPlansService {
  constructor(
    private readonly identity: IdentityClient,
    private readonly context: ServiceContext,
  ) {}

  /**
   * @param groups at most 500 client applications in total
   * @returns one plan per group, in order; undefined while identity is unavailable
   */
  async loadBestPlans(groups: readonly (readonly string[])[]): Promise<(PlanName | undefined)[]> {
    const plans = await this.loadPlans([...new Set(groups.flat())]);
    return groups.map((clientIds) => {
      if (clientIds.length === 0) return 'free';
      return plans && findBestPlan(clientIds.map((id) => plans.get(id) ?? 'free'));
    });
  }

  private async loadPlans(clientIds: string[]): Promise<Map<string, PlanName> | undefined> {
    if (clientIds.length === 0) return new Map();
    try {
      const { plans } = await this.identity.fetchClientPlans(clientIds);
      return new Map(plans.map(({ clientId, plan }) => [clientId, plan]));
    } catch (error) {
      this.context.logger.warn(
        { err: error },
        'could not load plans; scheduling balance checks at the shortest interval',
      );
      return undefined;
    }
  }
}
