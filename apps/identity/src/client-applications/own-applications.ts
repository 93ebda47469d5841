import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { asUser } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { ClientApplication } from '../clients/client-application.entity.js';
import { type ClientFields, type CreatedClient, insertClient } from '../clients/insert-client.js';
import { lockClient } from '../clients/lock-client.js';
import { registered } from '../clients/scope-approval.js';
import { CredentialIssuer } from '../credentials/credential-issuer.js';
import { CredentialWrites } from '../credentials/credential-writes.js';
import { recordChanges } from '../credentials/record-changes.js';
import { applyChange, type ApplicationChange } from './apply-change.js';
import { findOwnOf, lockOrMakeOwnPlan, lockOwnPlanOf } from './own-plan.js';

/** More than any plan has by its own limits. */
const MOST_LISTED = 1_000;

export interface NewApplication extends ClientFields {
  scopes: Scope[];
}

export interface RegisteredApplication {
  application: ClientApplication;
  /** Shown once. */
  credentials: CreatedClient;
}

/** The client applications of users, as they manage them themselves. */
@Injectable()
export class OwnApplications {
  constructor(
    private readonly database: Database,
    private readonly writes: CredentialWrites,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** Oldest first. */
  list(userId: string): Promise<ClientApplication[]> {
    return this.database.run((manager) =>
      manager.find(ClientApplication, {
        where: { owner: { userId } },
        order: { createdAt: 'ASC', id: 'ASC' },
        take: MOST_LISTED,
      }),
    );
  }

  /** @throws AppError 404 for what is not theirs */
  get(userId: string, clientId: string): Promise<ClientApplication> {
    return this.database.run((manager) => findOwnOf(manager, userId, clientId));
  }

  /** @throws AppError 409 when the user's plan has no room for it */
  register(userId: string, { scopes, ...fields }: NewApplication): Promise<RegisteredApplication> {
    return this.writes.transaction(async (manager) => {
      const holder = await lockOrMakeOwnPlan(manager, userId);
      const record = { ...fields, ...registered(scopes) };
      const credentials = await insertClient(manager, this.issuer, holder, record);
      const { clientId } = credentials;
      const details = { ...fields, scopes };
      await recordAudit(manager, asUser(userId), { action: 'client.created', target: clientId, details });
      const application = await manager.findOneByOrFail(ClientApplication, { id: clientId });
      await recordChanges(manager, [clientId]);
      return { application, credentials };
    });
  }

  /** @throws AppError 404 for what is not theirs */
  change(userId: string, clientId: string, change: ApplicationChange): Promise<ClientApplication> {
    return this.writes.transaction(async (manager) => {
      await lockOwnPlanOf(manager, userId, clientId);
      const before = await lockClient(manager, clientId);
      const { details, record } = applyChange(before, change);
      if (Object.keys(details).length === 0) return before;
      await manager.update(ClientApplication, { id: clientId }, { ...record, revision: before.revision + 1 });
      await recordAudit(manager, asUser(userId), { action: 'client.changed', target: clientId, details });
      const after = await manager.findOneByOrFail(ClientApplication, { id: clientId });
      await recordChanges(manager, [clientId]);
      return after;
    });
  }

  /** Ends the application and everything it could do. @throws AppError 404 for what is not theirs */
  async remove(userId: string, clientId: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await lockOwnPlanOf(manager, userId, clientId);
      await manager.softDelete(ClientApplication, { id: clientId });
      await recordAudit(manager, asUser(userId), { action: 'client.removed', target: clientId });
      await recordChanges(manager, [clientId]);
    });
  }
}
