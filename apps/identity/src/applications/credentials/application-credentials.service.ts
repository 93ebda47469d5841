import { badRequest, conflict, notFound, SECOND_MS } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, MoreThan } from 'typeorm';
import { toUserActor } from '../audit/audit-action.js';
import { type AuditEntry, recordAudit } from '../audit/audit-records.queries.js';
import type { ClientApplication } from '../entities/client-application.entity.js';
import { ClientSecret } from '../entities/client-secret.entity.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { checkApiKeyLimit } from '../plans/check-ownership-limits.js';
import { ApiKey, isEnding, type KeyTerms } from '../entities/api-key.entity.js';
import type { Rotation } from './credential.dto.js';
import type { FormSubmission } from './form-submission.js';
import { CredentialIssuer, type IssuedCredential } from './credential-issuer.js';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { loadActiveCredentials, revokeCredential } from '../entities/api-keys.queries.js';
import { recordCredentialChanges } from '../../tokens/change-feed/credential-changes.queries.js';
import { loadOwnedApplication, lockOwnedApplication } from '../plans/owned-application.js';

/**
 * Issues a successor of a key, which stays valid for the overlap. Revokes the key's own predecessors now, so that repeated
 * rotation cannot create an unlimited number of active keys. Where the key is lost and a predecessor is still valid, which is then the one
 * in use, the key ends in the predecessor's place. The successor has the key's name and scopes, and its lifetime from now on.
 */
async function rotateApiKey(
  manager: EntityManager,
  issuer: CredentialIssuer,
  key: ApiKey,
  { overlapSeconds, lost }: Rotation,
): Promise<IssuedCredential> {
  const valid = { replacedBy: key.id, revokedAt: IsNull(), expiresAt: MoreThan(new Date()) };
  const predecessors = (await manager.findBy(ApiKey, valid)).map(({ id }) => id);
  const keepsPredecessors = lost === true && predecessors.length > 0;
  const { name, scopes, lifetimeSeconds } = key;
  const expiresAt = lifetimeSeconds === null ? null : new Date(Date.now() + lifetimeSeconds * SECOND_MS);
  const issued = await issuer.issueApiKey(manager, key.clientId, { name, scopes, expiresAt });
  // A predecessor that stays becomes one of the new key, so that they count as one and the next rotation ends it.
  const replaced = keepsPredecessors ? [key.id, ...predecessors] : [key.id];
  await manager.update(ApiKey, { id: In(replaced) }, { replacedBy: issued.id });
  if (!keepsPredecessors) for (const id of predecessors) await revokeCredential(manager, ApiKey, id, 0);
  await revokeCredential(manager, ApiKey, key.id, keepsPredecessors ? 0 : overlapSeconds);
  return issued;
}

/**
 * Issues a new client secret. The current one stays valid for the overlap, so that at most two are active. Where the current one is lost and
 * the one before is still valid, the current one ends in its place.
 */
async function rotateClientSecret(
  manager: EntityManager,
  issuer: CredentialIssuer,
  clientId: string,
  { overlapSeconds, lost }: Rotation,
): Promise<IssuedCredential> {
  const active = await loadActiveCredentials(manager, ClientSecret, clientId);
  const current = active.filter(({ expiresAt }) => expiresAt === null);
  const ending = active.filter(({ expiresAt }) => expiresAt !== null);
  const keepsEnding = lost === true && ending.length > 0;
  for (const { id } of current)
    await revokeCredential(manager, ClientSecret, id, keepsEnding ? 0 : overlapSeconds);
  if (!keepsEnding) for (const { id } of ending) await revokeCredential(manager, ClientSecret, id, 0);
  return issuer.issueClientSecret(manager, clientId);
}

const toDetails = ({ overlapSeconds, lost }: Rotation) => ({
  overlapSeconds,
  ...(lost === true && { lost }),
});

interface OwnedApplication {
  manager: EntityManager;
  tenant: Tenant;
  client: ClientApplication;
}

/** API keys and client secrets that users manage themselves. Throws AppError 404 for another user's application. */
@Injectable()
export class ApplicationCredentialsService {
  constructor(
    private readonly database: Database,
    private readonly transactions: CredentialTransactionService,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** Issues a new secret. The current one stays valid for the overlap; an older one is revoked now, unless the current one is lost. */
  rotateClientSecret(
    userId: string,
    clientId: string,
    rotation: Rotation,
    submission?: FormSubmission,
  ): Promise<IssuedCredential> {
    return this.changeApplication(userId, clientId, submission, async ({ manager, client }) => {
      if (client.type === 'public') throw clientSecretNotSupported();
      const issued = await rotateClientSecret(manager, this.issuer, clientId, rotation);
      await submission?.keep(manager, { clientId, clientSecret: issued.text });
      const details = { secretId: issued.id, ...toDetails(rotation) };
      return { result: issued, audit: { action: 'client.secret-rotated', target: clientId, details } };
    });
  }

  /** Active keys, oldest first. */
  listApiKeys(userId: string, clientId: string): Promise<ApiKey[]> {
    return this.database.withConnection(async (manager) => {
      await loadOwnedApplication(manager, userId, clientId);
      return loadActiveCredentials(manager, ApiKey, clientId);
    });
  }

  /** @throws AppError 409 over the plan's limit of API keys */
  createApiKey(
    userId: string,
    clientId: string,
    terms: KeyTerms,
    submission?: FormSubmission,
  ): Promise<IssuedCredential> {
    return this.changeApplication(userId, clientId, submission, async ({ manager, tenant }) => {
      await checkApiKeyLimit(manager, tenant);
      const issued = await this.issuer.issueApiKey(manager, clientId, terms);
      await submission?.keep(manager, { clientId, apiKey: issued.text });
      const details = { keyId: issued.id, ...terms };
      return { result: issued, audit: { action: 'key.created', target: clientId, details } };
    });
  }

  /** Replaces a key, which stays valid for the overlap. @throws AppError 409 when it was replaced already, or ends for another reason than its planned end */
  rotateApiKey(
    userId: string,
    clientId: string,
    keyId: string,
    rotation: Rotation,
    submission?: FormSubmission,
  ): Promise<IssuedCredential> {
    return this.changeApplication(userId, clientId, submission, async ({ manager }) => {
      const keys = await loadActiveCredentials(manager, ApiKey, clientId);
      const key = keys.find(({ id }) => id === keyId);
      if (!key) throw apiKeyNotFound();
      if (isEnding(key)) throw apiKeyAlreadyRotated();
      const issued = await rotateApiKey(manager, this.issuer, key, rotation);
      await submission?.keep(manager, { clientId, apiKey: issued.text });
      const details = { keyId, newKeyId: issued.id, ...toDetails(rotation) };
      return { result: issued, audit: { action: 'key.rotated', target: clientId, details } };
    });
  }

  revokeApiKey(userId: string, clientId: string, keyId: string): Promise<void> {
    return this.changeApplication(userId, clientId, undefined, async ({ manager }) => {
      if (!(await manager.existsBy(ApiKey, { id: keyId, clientId }))) throw apiKeyNotFound();
      await revokeCredential(manager, ApiKey, keyId, 0);
      return {
        result: undefined,
        audit: { action: 'key.revoked', target: clientId, details: { keyId, inSeconds: 0 } },
      };
    });
  }

  private changeApplication<T>(
    userId: string,
    clientId: string,
    submission: FormSubmission | undefined,
    work: (owned: OwnedApplication) => Promise<{ result: T; audit: AuditEntry }>,
  ): Promise<T> {
    return this.transactions.transaction(async (manager) => {
      await submission?.claim(manager);
      const { result, audit } = await work({
        manager,
        ...(await lockOwnedApplication(manager, userId, clientId)),
      });
      await recordAudit(manager, toUserActor(userId), audit);
      await recordCredentialChanges(manager, [clientId]);
      return result;
    });
  }
}

const clientSecretNotSupported = () =>
  badRequest('client_secret_not_supported', 'A public client has no secret.');

const apiKeyNotFound = () =>
  notFound('api_key_not_found', 'The client application has no API key with this id.');

const apiKeyAlreadyRotated = () =>
  conflict('api_key_conflict', 'This API key was replaced already and will expire: rotate its successor.');
