import { badRequest, conflict, notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toUserActor } from '../audit/actor.js';
import { type AuditEntry, recordAudit } from '../audit/record-audit.js';
import type { ClientApplication } from '../entities/client-application.entity.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { checkApiKeyLimit } from '../plans/plan-limits.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { CredentialIssuer, type IssuedCredential } from './credential-issuer.js';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { revokeCredential } from './revoke-credential.js';
import { loadActiveCredentials } from './load-active-credentials.js';
import { recordCredentialChanges } from '../../tokens/change-feed/record-credential-changes.js';
import { rotateApiKey, rotateClientSecret } from './rotate-credential.js';
import { loadOwnedApplication, lockOwnedApplication } from '../plans/owned-application.js';

interface OwnedApplication {
  manager: EntityManager;
  holder: Tenant;
  client: ClientApplication;
}

/**
 * Keys and secrets of the applications of users, as they manage them themselves. All of it is 404 for what is not
 * theirs.
 */
@Injectable()
export class ApplicationCredentialsService {
  constructor(
    private readonly database: Database,
    private readonly writes: CredentialTransactionService,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** A new secret. The one before works on for the overlap; one that was on its way out ends now. */
  rotateClientSecret(userId: string, clientId: string, overlapSeconds: number): Promise<IssuedCredential> {
    return this.write(userId, clientId, async ({ manager, client }) => {
      if (client.type === 'public') throw clientSecretNotSupported();
      const issued = await rotateClientSecret(manager, this.issuer, clientId, overlapSeconds);
      const details = { secretId: issued.id, overlapSeconds };
      return { result: issued, done: { action: 'client.secret-rotated', target: clientId, details } };
    });
  }

  /** Those that work, oldest first. */
  listApiKeys(userId: string, clientId: string): Promise<ApiKey[]> {
    return this.database.withConnection(async (manager) => {
      await loadOwnedApplication(manager, userId, clientId);
      return loadActiveCredentials(manager, ApiKey, clientId);
    });
  }

  /** @throws AppError 409 when the user's plan has no room for it */
  createApiKey(userId: string, clientId: string): Promise<IssuedCredential> {
    return this.write(userId, clientId, async ({ manager, holder }) => {
      await checkApiKeyLimit(manager, holder);
      const issued = await this.issuer.issueApiKey(manager, clientId);
      const details = { keyId: issued.id };
      return { result: issued, done: { action: 'key.created', target: clientId, details } };
    });
  }

  /** A new key in the place of this one, which works on for the overlap. @throws AppError 409 when it ends already */
  rotateApiKey(
    userId: string,
    clientId: string,
    keyId: string,
    overlapSeconds: number,
  ): Promise<IssuedCredential> {
    return this.write(userId, clientId, async ({ manager }) => {
      const keys = await loadActiveCredentials(manager, ApiKey, clientId);
      const key = keys.find(({ id }) => id === keyId);
      if (!key) throw apiKeyNotFound();
      if (key.expiresAt !== null) throw apiKeyAlreadyRotated();
      const issued = await rotateApiKey(manager, this.issuer, key, overlapSeconds);
      const details = { keyId, newKeyId: issued.id, overlapSeconds };
      return { result: issued, done: { action: 'key.rotated', target: clientId, details } };
    });
  }

  /** Ends a key now. */
  revokeApiKey(userId: string, clientId: string, keyId: string): Promise<void> {
    return this.write(userId, clientId, async ({ manager }) => {
      if (!(await manager.existsBy(ApiKey, { id: keyId, clientId }))) throw apiKeyNotFound();
      await revokeCredential(manager, ApiKey, keyId, 0);
      return {
        result: undefined,
        done: { action: 'key.revoked', target: clientId, details: { keyId, inSeconds: 0 } },
      };
    });
  }

  private write<T>(
    userId: string,
    clientId: string,
    work: (own: OwnedApplication) => Promise<{ result: T; done: AuditEntry }>,
  ): Promise<T> {
    return this.writes.transaction(async (manager) => {
      const { result, done } = await work({
        manager,
        ...(await lockOwnedApplication(manager, userId, clientId)),
      });
      await recordAudit(manager, toUserActor(userId), done);
      await recordCredentialChanges(manager, [clientId]);
      return result;
    });
  }
}

const clientSecretNotSupported = () =>
  badRequest('client_secret_not_supported', 'A public client cannot keep a secret and has none.');

const apiKeyNotFound = () => notFound('api_key_not_found', 'The application has no such API key.');

const apiKeyAlreadyRotated = () =>
  conflict('api_key_conflict', 'This API key was replaced and ends by itself: rotate its successor.');
