import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { toUserActor } from './audit/actor.js';
import { recordAudit } from './audit/record-audit.js';
import { ClientApplication } from './entities/client-application.entity.js';
import {
  type ClientApplicationFields,
  type CreatedClientApplication,
  insertClientApplication,
} from './insert-client-application.js';
import { lockClientApplication } from './lock-client-application.js';
import { createApprovalState } from './approval-state.js';
import { CredentialIssuer } from './credentials/credential-issuer.js';
import { CredentialTransactionService } from '../tokens/change-feed/credential-transaction.service.js';
import { recordCredentialChanges } from '../tokens/change-feed/record-credential-changes.js';
import { applyApplicationChange, type ApplicationChange } from './apply-application-change.js';
import { loadOwnedApplication, lockOrCreateTenant, lockOwnedApplication } from './plans/owned-application.js';

/** More than any plan has by its own limits. */
const MAX_LISTED_APPLICATIONS = 1_000;

export interface ClientApplicationRegistration extends ClientApplicationFields {
  scopes: Scope[];
}

export interface RegisteredClientApplication {
  application: ClientApplication;
  /** Shown once. */
  credentials: CreatedClientApplication;
}

/** The client applications of users, as they manage them themselves. */
@Injectable()
export class ClientApplicationsService {
  constructor(
    private readonly database: Database,
    private readonly writes: CredentialTransactionService,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** Oldest first. */
  list(userId: string): Promise<ClientApplication[]> {
    return this.database.withConnection((manager) =>
      manager.find(ClientApplication, {
        where: { owner: { userId } },
        order: { createdAt: 'ASC', id: 'ASC' },
        take: MAX_LISTED_APPLICATIONS,
      }),
    );
  }

  /** @throws AppError 404 for what is not theirs */
  get(userId: string, clientId: string): Promise<ClientApplication> {
    return this.database.withConnection((manager) => loadOwnedApplication(manager, userId, clientId));
  }

  /** @throws AppError 409 when the user's plan has no room for it */
  register(
    userId: string,
    { scopes, ...fields }: ClientApplicationRegistration,
  ): Promise<RegisteredClientApplication> {
    return this.writes.transaction(async (manager) => {
      const holder = await lockOrCreateTenant(manager, userId);
      const record = { ...fields, ...createApprovalState(scopes) };
      const credentials = await insertClientApplication(manager, this.issuer, holder, record);
      const { clientId } = credentials;
      const details = { ...fields, scopes };
      await recordAudit(manager, toUserActor(userId), {
        action: 'client.created',
        target: clientId,
        details,
      });
      const application = await manager.findOneByOrFail(ClientApplication, { id: clientId });
      await recordCredentialChanges(manager, [clientId]);
      return { application, credentials };
    });
  }

  /** @throws AppError 404 for what is not theirs */
  change(userId: string, clientId: string, change: ApplicationChange): Promise<ClientApplication> {
    return this.writes.transaction(async (manager) => {
      await lockOwnedApplication(manager, userId, clientId);
      const before = await lockClientApplication(manager, clientId);
      const { details, record } = applyApplicationChange(before, change);
      if (Object.keys(details).length === 0) return before;
      await manager.update(ClientApplication, { id: clientId }, { ...record, revision: before.revision + 1 });
      await recordAudit(manager, toUserActor(userId), {
        action: 'client.changed',
        target: clientId,
        details,
      });
      const after = await manager.findOneByOrFail(ClientApplication, { id: clientId });
      await recordCredentialChanges(manager, [clientId]);
      return after;
    });
  }

  /** Ends the application and everything it could do. @throws AppError 404 for what is not theirs */
  async remove(userId: string, clientId: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await lockOwnedApplication(manager, userId, clientId);
      await manager.softDelete(ClientApplication, { id: clientId });
      await recordAudit(manager, toUserActor(userId), { action: 'client.removed', target: clientId });
      await recordCredentialChanges(manager, [clientId]);
    });
  }
}
