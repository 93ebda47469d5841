import type { Actor } from '../audit/audit-action.js';
import { recordAudit } from '../audit/audit-records.queries.js';
import type { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { recordCredentialChanges } from '../../tokens/change-feed/credential-changes.queries.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import { Tenant } from '../entities/tenant.entity.js';
import { lockTenant } from '../entities/tenants.queries.js';
import type { PlanTerms } from './plan-terms.js';

export class PlansService {
  constructor(private readonly transactions: CredentialTransactionService) {}

  /** Existing applications and keys stay, even above the new plan's limits. */
  async setPlan(actor: Actor, tenantId: string, terms: PlanTerms): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await lockTenant(manager, tenantId);
      await manager.update(
        Tenant,
        { id: tenantId },
        { maxClientApplications: null, maxApiKeys: null, ...terms },
      );
      const clients = await manager.find(ClientApplication, {
        where: { ownerId: tenantId },
        select: { id: true },
      });
      await recordAudit(manager, actor, { action: 'plan.set', target: tenantId, details: terms });
      await recordCredentialChanges(
        manager,
        clients.map(({ id }) => id),
      );
    });
  }
}
