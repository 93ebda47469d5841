import { tryTogether } from '@app/common';
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
   * @returns one plan per group, in order; undefined where a plan cannot be loaded
   */
  async loadBestPlans(groups: readonly (readonly string[])[]): Promise<(PlanName | undefined)[]> {
    const clientIds = [...new Set(groups.flat())];
    const plans = new Map<string, PlanName>();
    const failed = new Set<string>();
    const fail = (ids: readonly string[], error: unknown): void => {
      for (const id of ids) failed.add(id);
      this.context.logger.warn(
        { err: error, clientIds: ids },
        'could not load plans; scheduling balance checks at the shortest interval',
      );
    };
    try {
      const items = await tryTogether(clientIds, async (some) => {
        const loaded = await this.identity.fetchClientPlans([...some]);
        for (const { clientId, plan } of loaded.plans) plans.set(clientId, plan);
      });
      for (const { item, error } of items) fail([item], error);
    } catch (error) {
      fail(
        clientIds.filter((id) => !plans.has(id)),
        error,
      );
    }
    return groups.map((group) => {
      if (group.some((id) => failed.has(id))) return undefined;
      return group.length === 0 ? 'free' : findBestPlan(group.map((id) => plans.get(id) ?? 'free'));
    });
  }
}
