import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { toUserActor } from './audit/audit-action.js';
import { recordAudit } from './audit/audit-records.queries.js';
import { ClientApplication, type ClientStatus } from './entities/client-application.entity.js';
import {
  type ClientApplicationFields,
  type CreatedClientApplication,
  insertClientApplication,
} from './insert-client-application.js';
import {
  dismissDecisionNotice,
  lockClientApplication,
  lockWaitingApplication,
  storeMessage,
} from './entities/client-applications.queries.js';
import { createApprovalState } from './approval-state.js';
import type { FormSubmission } from './credentials/form-submission.js';
import { CredentialIssuer } from './credentials/credential-issuer.js';
import { CredentialTransactionService } from '../tokens/change-feed/credential-transaction.service.js';
import { recordCredentialChanges } from '../tokens/change-feed/credential-changes.queries.js';
import { applyApplicationChange, type ApplicationChange } from './apply-application-change.js';
import { lockOrCreateTenant } from './entities/tenants.queries.js';
import { loadOwnedApplication, lockOwnedApplication } from './plans/owned-application.js';

/** The list is cut above every plan's own limit. */
const MAX_LISTED_APPLICATIONS = 1_000;

export interface ClientApplicationRegistration extends ClientApplicationFields {
  scopes: Scope[];
  /** Plain text for the operators who are to approve. */
  message?: string;
}

export interface RegisteredClientApplication {
  application: ClientApplication;
  credentials: CreatedClientApplication;
}

/** Client applications that users manage themselves. */
@Injectable()
export class ClientApplicationsService {
  constructor(
    private readonly database: Database,
    private readonly transactions: CredentialTransactionService,
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

  /** @throws AppError 404 for another user's application */
  get(userId: string, clientId: string): Promise<ClientApplication> {
    return this.database.withConnection((manager) => loadOwnedApplication(manager, userId, clientId));
  }

  /**
   * Creates the user's tenant if necessary.
   * @throws AppError 409 over a limit of the plan, FormRepeatedError for a repeated submission
   */
  register(
    userId: string,
    { scopes, message, ...fields }: ClientApplicationRegistration,
    submission?: FormSubmission,
  ): Promise<RegisteredClientApplication> {
    return this.transactions.transaction(async (manager) => {
      await submission?.claim(manager);
      const tenant = await lockOrCreateTenant(manager, userId);
      const state = createApprovalState(scopes);
      const waitingSince = state.status === 'pending' ? new Date() : null;
      const record = {
        ...fields,
        ...state,
        waitingSince,
        ...(message !== undefined && toOwnerMessage(message)),
      };
      const credentials = await insertClientApplication(manager, this.issuer, tenant, record);
      const { clientId, clientSecret, apiKey } = credentials;
      await submission?.keep(manager, { clientId, clientSecret, apiKey });
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

  /** @throws AppError 404 for another user's application */
  change(userId: string, clientId: string, change: ApplicationChange): Promise<ClientApplication> {
    return this.transactions.transaction(async (manager) => {
      await lockOwnedApplication(manager, userId, clientId);
      const before = await lockClientApplication(manager, clientId);
      const { details, record } = applyApplicationChange(before, change);
      if (Object.keys(details).length === 0) return before;
      // A change answers the decision before it.
      const waiting = { waitingSince: findWaitingSince(before, record.status), decisionNoticeAt: null };
      await manager.update(ClientApplication, { id: clientId }, { ...record, ...waiting });
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

  /** Writes to the operators. @throws AppError 404 for another user's application, 409 where it waits for no decision */
  async sendMessage(userId: string, clientId: string, message: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockOwnedApplication(manager, userId, clientId);
      await lockWaitingApplication(manager, clientId);
      await storeMessage(manager, 'owner', clientId, message);
      await recordAudit(manager, toUserActor(userId), { action: 'client.message-sent', target: clientId });
    });
  }

  /** Ends the notice of an operator's decision. @throws AppError 404 for another user's application */
  async dismissDecision(userId: string, clientId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockOwnedApplication(manager, userId, clientId);
      await dismissDecisionNotice(manager, clientId);
    });
  }

  /** Whether the user has removed an application with this id. */
  wasRemoved(userId: string, clientId: string): Promise<boolean> {
    const where = { id: clientId, owner: { userId }, deletedAt: Not(IsNull()) };
    return this.database.withConnection((manager) =>
      manager.exists(ClientApplication, { where, withDeleted: true }),
    );
  }

  /** Deletes the application; its credentials stop working. @throws AppError 404 for another user's application */
  async remove(userId: string, clientId: string): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await lockOwnedApplication(manager, userId, clientId);
      await manager.softDelete(ClientApplication, { id: clientId });
      await recordAudit(manager, toUserActor(userId), { action: 'client.removed', target: clientId });
      await recordCredentialChanges(manager, [clientId]);
    });
  }
}

const toOwnerMessage = (message: string) => ({ ownerMessage: message, ownerMessageAt: new Date() });

/** An application that waits already goes on waiting since then. */
const findWaitingSince = (before: ClientApplication, status: ClientStatus): Date | null => {
  if (status !== 'pending') return null;
  return before.status === 'pending' ? (before.waitingSince ?? before.updatedAt) : new Date();
};
