import { notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../applications/audit/audit-action.js';
import { recordAudit } from '../applications/audit/audit-records.queries.js';
import { ClientApplication } from '../applications/entities/client-application.entity.js';
import { Tenant } from '../applications/entities/tenant.entity.js';

const MAX_LISTED_APPLICATIONS = 100;

export interface TenantPlan {
  tenant: Tenant;
  /** Oldest first. */
  applications: ClientApplication[];
}

const tenantNotFound = () =>
  notFound('tenant_not_found', 'No tenant, client application or user has this id.');

/** Finds tenants and their plans for operators. Every lookup is audited. */
@Injectable()
export class OperatorPlansService {
  constructor(private readonly database: Database) {}

  /**
   * @param id the id of a tenant, of one of its client applications, or of the user who owns the plan
   * @throws AppError 404
   */
  findPlan(actor: Actor, id: string): Promise<TenantPlan> {
    return this.database.transaction(async (manager) => {
      const tenant = await findTenant(manager, id);
      if (!tenant) throw tenantNotFound();
      const applications = await manager.find(ClientApplication, {
        where: { ownerId: tenant.id },
        order: { createdAt: 'ASC', id: 'ASC' },
        take: MAX_LISTED_APPLICATIONS,
      });
      await recordAudit(manager, actor, { action: 'plan.viewed', target: tenant.id });
      return { tenant, applications };
    });
  }
}

async function findTenant(manager: EntityManager, id: string): Promise<Tenant | null> {
  const tenant = await manager.findOne(Tenant, { where: [{ id }, { userId: id }] });
  if (tenant) return tenant;
  const application = await manager.findOne(ClientApplication, { where: { id }, relations: { owner: true } });
  return application?.owner ?? null;
}
