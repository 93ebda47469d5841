import { formatErrorReason } from '@app/common';
import { Database } from '@app/database';
import { type PlanReport, planName, refusalCount } from '@app/dto';
import { ServiceContext } from '@app/service';
import { toCalendarMonth } from '@app/limits';
import { Injectable } from '@nestjs/common';
import { ClientApplication } from '../entities/client-application.entity.js';
import { toOwnershipLimits, toRequestLimits } from './plan-terms.js';
import { Tenant } from '../entities/tenant.entity.js';
import { countActiveApiKeys } from '../entities/api-keys.queries.js';
import { GatewayClient } from '../../clients/gateway-client.js';
import { z } from 'zod';

const allowed = z.int().positive().optional();

export const planUsage = z
  .object({
    plan: planName,
    requestsPerSecond: z.int().positive(),
    month: z.object({
      limit: z.int().positive(),
      used: z.int().nonnegative().optional().meta({ description: 'Absent when no gateway answers' }),
      endsTime: z.iso.datetime(),
    }),
    clientApplications: z.object({ limit: allowed, used: z.int().nonnegative() }),
    apiKeys: z.object({ limit: allowed, used: z.int().nonnegative() }),
    refusals: z.array(refusalCount).meta({ description: 'In the last 24 hours, newest first' }),
  })
  .meta({ id: 'PlanUsage' });
export type PlanUsage = z.output<typeof planUsage>;

/** A user's tenant is created with the first client application, on the free plan. */
const DEFAULT_TENANT = {
  id: undefined,
  plan: 'free',
  perSecond: null,
  perMonth: null,
  maxClientApplications: null,
  maxApiKeys: null,
} as const;

/** A user's plan limits and their usage. */
@Injectable()
export class PlanUsageService {
  constructor(
    private readonly database: Database,
    private readonly gateway: GatewayClient,
    private readonly context: ServiceContext,
  ) {}

  async loadUsage(userId: string): Promise<PlanUsage> {
    const { tenant, applications, keys } = await this.loadTenant(userId);
    const report =
      tenant.id === undefined ? { usedThisMonth: 0, refusals: [] } : await this.loadReport(tenant.id);
    const { perSecond, perMonth } = toRequestLimits(tenant.plan, tenant.perSecond, tenant.perMonth);
    const { maxClientApplications, maxApiKeys } = toOwnershipLimits(tenant);
    return {
      plan: tenant.plan,
      requestsPerSecond: perSecond,
      month: {
        limit: perMonth,
        used: report?.usedThisMonth,
        endsTime: new Date(toCalendarMonth(Date.now()).endMs).toISOString(),
      },
      clientApplications: { limit: maxClientApplications ?? undefined, used: applications },
      apiKeys: { limit: maxApiKeys ?? undefined, used: keys },
      refusals: [...(report?.refusals ?? [])],
    };
  }

  private loadTenant(userId: string) {
    return this.database.withConnection(async (manager) => {
      const tenant = await manager.findOneBy(Tenant, { userId });
      if (!tenant) return { tenant: DEFAULT_TENANT, applications: 0, keys: 0 };
      const applications = await manager.countBy(ClientApplication, { ownerId: tenant.id });
      return { tenant, applications, keys: await countActiveApiKeys(manager, tenant.id) };
    });
  }

  /** Undefined when no gateway answers: the other limits are shown without it. */
  private async loadReport(tenantId: string): Promise<PlanReport | undefined> {
    try {
      return await this.gateway.loadPlanReport(tenantId);
    } catch (error) {
      this.context.logger.warn(
        { reason: formatErrorReason(error) },
        'plan usage could not be loaded from the gateway',
      );
      return undefined;
    }
  }
}
