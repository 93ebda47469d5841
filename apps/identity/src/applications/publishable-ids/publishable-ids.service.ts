import { createClientCredential } from '@app/auth';
import { conflict, notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { IdentityConfig } from '../../common/identity.config.js';
import { recordCredentialChanges } from '../../tokens/change-feed/credential-changes.queries.js';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { toUserActor } from '../audit/audit-action.js';
import { recordAudit } from '../audit/audit-records.queries.js';
import type { FormSubmission } from '../credentials/form-submission.js';
import { loadOwnedApplication, lockOwnedApplication } from '../plans/owned-application.js';
import type { NewPublishableId } from './publishable-id.dto.js';
import {
  insertPublishableId,
  listPublishableIds,
  type PublishableId,
  revokePublishableId,
} from './publishable-ids.queries.js';

/** Live publishable ids of one application. */
export const MAX_PUBLISHABLE_IDS = 10;

/** Publishable ids that users manage for their applications. Throws AppError 404 for another user's application. */
@Injectable()
export class PublishableIdsService {
  constructor(
    private readonly database: Database,
    private readonly transactions: CredentialTransactionService,
    private readonly config: IdentityConfig,
  ) {}

  /** Live ids, oldest first. */
  list(userId: string, clientId: string): Promise<PublishableId[]> {
    return this.database.withConnection(async (manager) => {
      await loadOwnedApplication(manager, userId, clientId);
      return listPublishableIds(manager, clientId);
    });
  }

  /** @throws AppError 409 over the limit of an application */
  create(
    userId: string,
    clientId: string,
    { name, origins }: NewPublishableId,
    submission?: FormSubmission,
  ): Promise<PublishableId> {
    return this.transactions.transaction(async (manager) => {
      await submission?.claim(manager);
      await lockOwnedApplication(manager, userId, clientId);
      if ((await listPublishableIds(manager, clientId)).length >= MAX_PUBLISHABLE_IDS) throw limitExceeded();
      const { id, text } = createClientCredential('gthp', this.config.CREDENTIAL_ENVIRONMENT);
      const created = {
        id,
        publishableId: text,
        name: name ?? null,
        origins,
        createdAt: new Date(),
      };
      await insertPublishableId(manager, clientId, created);
      const details = { id, name, origins };
      await recordAudit(manager, toUserActor(userId), {
        action: 'publishable-id.created',
        target: clientId,
        details,
      });
      return created;
    });
  }

  /** Ends an id for good. Gateways learn of it as of the end of an API key. */
  revoke(userId: string, clientId: string, id: string): Promise<void> {
    return this.transactions.transaction(async (manager) => {
      await lockOwnedApplication(manager, userId, clientId);
      if (!(await revokePublishableId(manager, clientId, id))) throw publishableIdNotFound();
      await recordAudit(manager, toUserActor(userId), {
        action: 'publishable-id.revoked',
        target: clientId,
        details: { id },
      });
      await recordCredentialChanges(manager, [clientId]);
    });
  }
}

const limitExceeded = () =>
  conflict(
    'publishable_id_limit_exceeded',
    `An application has at most ${MAX_PUBLISHABLE_IDS} publishable ids: revoke one first.`,
  );

const publishableIdNotFound = () =>
  notFound('publishable_id_not_found', 'The client application has no publishable id with this id.');
