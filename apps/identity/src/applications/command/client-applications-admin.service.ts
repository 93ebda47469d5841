import { createPrefixedId } from '@app/common';
import type { Scope } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { COMMAND_LINE_ACTOR } from '../audit/actor.js';
import { type AuditEntry, recordAudit } from '../audit/record-audit.js';
import type { CredentialIssuer } from '../credentials/credential-issuer.js';
import type { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { recordCredentialChanges } from '../../tokens/change-feed/record-credential-changes.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import {
  type ClientApplicationFields,
  type CreatedClientApplication,
  insertClientApplication,
} from '../insert-client-application.js';
import { lockClientApplication } from '../lock-client-application.js';
import { Tenant } from '../entities/tenant.entity.js';
import { lockTenant } from '../plans/plan-limits.js';
import type { PlanTerms } from '../plans/plan-terms.js';

export interface ApprovedApplicationRegistration extends ClientApplicationFields {
  /** Approved, all of them. */
  scopes: Scope[];
  /** A plan holder that exists, or the terms of a new one of the same name. */
  owner: string | PlanTerms;
}

/** Client applications as they are managed on the command line: what is asked for there is approved. */
export class ClientApplicationsAdminService {
  constructor(
    private readonly writes: CredentialTransactionService,
    private readonly issuer: CredentialIssuer,
  ) {}

  create({ scopes, owner, ...fields }: ApprovedApplicationRegistration): Promise<CreatedClientApplication> {
    return this.writes.transaction(async (manager) => {
      const holder =
        typeof owner === 'string'
          ? await lockTenant(manager, owner)
          : await createTenant(manager, fields.name, owner);
      const created = await insertClientApplication(manager, this.issuer, holder, {
        ...fields,
        ...toApprovedState(scopes),
      });
      const { clientId, ownerId } = created;
      const details = { ...fields, scopes, ownerId };
      await recordAudit(manager, COMMAND_LINE_ACTOR, { action: 'client.created', target: clientId, details });
      await recordCredentialChanges(manager, [clientId]);
      return created;
    });
  }

  /** Approves exactly these scopes. */
  async setScopes(clientId: string, scopes: Scope[]): Promise<void> {
    await this.change({ action: 'client.scopes-set', target: clientId, details: { scopes } }, (manager) =>
      manager.update(ClientApplication, { id: clientId }, toApprovedState(scopes)),
    );
  }

  /** What is changed here needs no approval. */
  async update(clientId: string, fields: Partial<Omit<ClientApplicationFields, 'type'>>): Promise<void> {
    await this.change({ action: 'client.changed', target: clientId, details: fields }, (manager) =>
      manager.update(ClientApplication, { id: clientId }, { ...fields, revision: () => 'revision + 1' }),
    );
  }

  /** Ends the application and everything it could do. Its record stays. */
  async remove(clientId: string): Promise<void> {
    await this.change({ action: 'client.removed', target: clientId }, (manager) =>
      manager.softDelete(ClientApplication, { id: clientId }),
    );
  }

  private async change(what: AuditEntry, apply: (manager: EntityManager) => Promise<unknown>): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await lockClientApplication(manager, what.target);
      await apply(manager);
      await recordAudit(manager, COMMAND_LINE_ACTOR, what);
      await recordCredentialChanges(manager, [what.target]);
    });
  }
}

const toApprovedState = (scopes: Scope[]) => ({
  requestedScopes: scopes,
  approvedScopes: scopes,
  status: 'approved' as const,
  rejectionReason: null,
});

async function createTenant(manager: EntityManager, name: string, terms: PlanTerms): Promise<Tenant> {
  const holder = manager.create(Tenant, { id: createPrefixedId('owner'), name, ...terms });
  await manager.insert(Tenant, holder);
  return holder;
}
