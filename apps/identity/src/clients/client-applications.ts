import { randomBytes } from 'node:crypto';
import { notFound, toBase62 } from '@app/common';
import type { Scope } from '@app/dto';
import type { EntityManager } from 'typeorm';
import type { CredentialIssuer } from '../credentials/credential-issuer.js';
import type { CredentialWrites } from '../credentials/credential-writes.js';
import { recordChanges } from '../credentials/record-changes.js';
import { ClientApplication, type ClientType } from './client-application.entity.js';
import { PlanHolder } from './plan-holder.entity.js';
import type { PlanTerms } from './plan-terms.js';
import { checkRoomForApiKey, checkRoomForClient, lockPlanHolder } from './plan-room.js';

const newId = (kind: 'client' | 'owner'): string => `${kind}_${toBase62(randomBytes(12), 17)}`;

export interface NewClient {
  name: string;
  type: ClientType;
  scopes: Scope[];
  /** A plan holder that exists, or the terms of a new one of the same name. */
  owner: string | PlanTerms;
}

/** Everything that is shown once, and never again. */
export interface CreatedClient {
  clientId: string;
  ownerId: string;
  /** A public client cannot keep a secret and gets none. */
  clientSecret: string | null;
  keyId: string;
  apiKey: string;
}

/** Client applications as an operator manages them. */
export class ClientApplications {
  constructor(
    private readonly writes: CredentialWrites,
    private readonly issuer: CredentialIssuer,
  ) {}

  create({ name, type, scopes, owner }: NewClient): Promise<CreatedClient> {
    return this.writes.transaction(async (manager) => {
      const holder =
        typeof owner === 'string'
          ? await lockPlanHolder(manager, owner)
          : await createPlanHolder(manager, name, owner);
      await checkRoomForClient(manager, holder);
      await checkRoomForApiKey(manager, holder);
      const clientId = newId('client');
      const client = { id: clientId, ownerId: holder.id, name, type };
      await manager.insert(ClientApplication, { ...client, requestedScopes: scopes, approvedScopes: scopes });
      const secret = type === 'public' ? undefined : await this.issuer.issueClientSecret(manager, clientId);
      const key = await this.issuer.issueApiKey(manager, clientId);
      await recordChanges(manager, [clientId]);
      return {
        clientId,
        ownerId: holder.id,
        clientSecret: secret?.text ?? null,
        keyId: key.id,
        apiKey: key.text,
      };
    });
  }

  /** Approves exactly these scopes. */
  async setScopes(clientId: string, scopes: Scope[]): Promise<void> {
    await this.change(clientId, (manager) =>
      manager.update(
        ClientApplication,
        { id: clientId },
        { requestedScopes: scopes, approvedScopes: scopes },
      ),
    );
  }

  /** Ends the application and everything it could do. Its record stays. */
  async remove(clientId: string): Promise<void> {
    await this.change(clientId, (manager) => manager.softDelete(ClientApplication, { id: clientId }));
  }

  private async change(clientId: string, apply: (manager: EntityManager) => Promise<unknown>): Promise<void> {
    await this.writes.transaction(async (manager) => {
      if (!(await manager.existsBy(ClientApplication, { id: clientId }))) {
        throw notFound('no_such_client', `There is no client application ${clientId}.`);
      }
      await apply(manager);
      await recordChanges(manager, [clientId]);
    });
  }
}

async function createPlanHolder(manager: EntityManager, name: string, terms: PlanTerms): Promise<PlanHolder> {
  const holder = manager.create(PlanHolder, { id: newId('owner'), name, ...terms });
  await manager.insert(PlanHolder, holder);
  return holder;
}
