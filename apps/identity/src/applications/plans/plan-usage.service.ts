import { Database } from '@app/database';
import { PLAN_LIMITS, type PlanReport } from '@app/dto';
import { ServiceContext } from '@app/service';
import { toCalendarMonth } from '@app/rate-limits';
import { Injectable } from '@nestjs/common';
import { ClientApplication } from '../entities/client-application.entity.js';
import { toRequestLimits } from './plan-terms.js';
import { Tenant } from '../entities/tenant.entity.js';
import { countActiveApiKeys } from './plan-limits.js';
import { GatewayClient } from '../../clients/gateway-client.js';
import type { PlanUsage } from './plan-usage.dto.js';

/** Who has no plan yet gets a free one with the first application. */
const DEFAULT_TENANT = { id: undefined, plan: 'free', perSecond: null, perMonth: null } as const;

/** What a user's plan allows, and what is used of it. */
@Injectable()
export class PlanUsageService {
  constructor(
    private readonly database: Database,
    private readonly gateway: GatewayClient,
    private readonly context: ServiceContext,
  ) {}

  async loadUsage(userId: string): Promise<PlanUsage> {
    const { holder, applications, keys } = await this.stored(userId);
    const report =
      holder.id === undefined ? { usedThisMonth: 0, refusals: [] } : await this.reportOf(holder.id);
    const { perSecond, perMonth } = toRequestLimits(holder.plan, holder.perSecond, holder.perMonth);
    const most = holder.plan === 'enterprise' ? undefined : PLAN_LIMITS[holder.plan];
    return {
      plan: holder.plan,
      requestsPerSecond: perSecond,
      month: {
        limit: perMonth,
        used: report?.usedThisMonth,
        endsTime: new Date(toCalendarMonth(Date.now()).endMs).toISOString(),
      },
      clientApplications: { limit: most?.clients, used: applications },
      apiKeys: { limit: most?.keys, used: keys },
      refusals: [...(report?.refusals ?? [])],
    };
  }

  private stored(userId: string) {
    return this.database.withConnection(async (manager) => {
      const holder = await manager.findOneBy(Tenant, { userId });
      if (!holder) return { holder: DEFAULT_TENANT, applications: 0, keys: 0 };
      const applications = await manager.countBy(ClientApplication, { ownerId: holder.id });
      return { holder, applications, keys: await countActiveApiKeys(manager, holder.id) };
    });
  }

  /** Undefined when no gateway answers: a plan can be looked at without its counters. */
  private async reportOf(ownerId: string): Promise<PlanReport | undefined> {
    try {
      return await this.gateway.loadPlanReport(ownerId);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.context.logger.warn({ reason }, 'the gateway does not say what was used');
      return undefined;
    }
  }
}
