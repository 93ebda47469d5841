import type { Scope } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { COMMAND } from '../audit/actor.js';
import { type Audited, recordAudit } from '../audit/record-audit.js';
import type { CredentialIssuer } from '../credentials/credential-issuer.js';
import type { CredentialWrites } from '../credentials/credential-writes.js';
import { recordChanges } from '../credentials/record-changes.js';
import { ClientApplication } from './client-application.entity.js';
import { type ClientFields, type CreatedClient, insertClient, newId } from './insert-client.js';
import { lockClient } from './lock-client.js';
import { PlanHolder } from './plan-holder.entity.js';
import { lockPlanHolder } from './plan-room.js';
import type { PlanTerms } from './plan-terms.js';

export interface NewClient extends ClientFields {
  /** Approved, all of them. */
  scopes: Scope[];
  /** A plan holder that exists, or the terms of a new one of the same name. */
  owner: string | PlanTerms;
}

/** Client applications as they are managed on the command line: what is asked for there is approved. */
export class ClientApplications {
  constructor(
    private readonly writes: CredentialWrites,
    private readonly issuer: CredentialIssuer,
  ) {}

  create({ scopes, owner, ...fields }: NewClient): Promise<CreatedClient> {
    return this.writes.transaction(async (manager) => {
      const holder =
        typeof owner === 'string'
          ? await lockPlanHolder(manager, owner)
          : await createPlanHolder(manager, fields.name, owner);
      const created = await insertClient(manager, this.issuer, holder, { ...fields, ...allOf(scopes) });
      const { clientId, ownerId } = created;
      const details = { ...fields, scopes, ownerId };
      await recordAudit(manager, COMMAND, { action: 'client.created', target: clientId, details });
      await recordChanges(manager, [clientId]);
      return created;
    });
  }

  /** Approves exactly these scopes. */
  async setScopes(clientId: string, scopes: Scope[]): Promise<void> {
    await this.change({ action: 'client.scopes-set', target: clientId, details: { scopes } }, (manager) =>
      manager.update(ClientApplication, { id: clientId }, allOf(scopes)),
    );
  }

  /** What is changed here needs no approval. */
  async set(clientId: string, fields: Partial<Omit<ClientFields, 'type'>>): Promise<void> {
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

  private async change(what: Audited, apply: (manager: EntityManager) => Promise<unknown>): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await lockClient(manager, what.target);
      await apply(manager);
      await recordAudit(manager, COMMAND, what);
      await recordChanges(manager, [what.target]);
    });
  }
}

const allOf = (scopes: Scope[]) => ({
  requestedScopes: scopes,
  approvedScopes: scopes,
  status: 'approved' as const,
  rejectionReason: null,
});

async function createPlanHolder(manager: EntityManager, name: string, terms: PlanTerms): Promise<PlanHolder> {
  const holder = manager.create(PlanHolder, { id: newId('owner'), name, ...terms });
  await manager.insert(PlanHolder, holder);
  return holder;
}
