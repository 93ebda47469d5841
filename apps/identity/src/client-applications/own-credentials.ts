import { badRequest, conflict, notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { asUser } from '../audit/actor.js';
import { type Audited, recordAudit } from '../audit/record-audit.js';
import type { ClientApplication } from '../clients/client-application.entity.js';
import type { PlanHolder } from '../clients/plan-holder.entity.js';
import { checkRoomForApiKey } from '../clients/plan-room.js';
import { ApiKey } from '../credentials/api-key.entity.js';
import { CredentialIssuer, type IssuedCredential } from '../credentials/credential-issuer.js';
import { CredentialWrites } from '../credentials/credential-writes.js';
import { endCredential } from '../credentials/end-credential.js';
import { liveCredentials } from '../credentials/live-credentials.js';
import { recordChanges } from '../credentials/record-changes.js';
import { replaceApiKey, replaceClientSecret } from '../credentials/replace-credential.js';
import { findOwnOf, lockOwnPlanOf } from './own-plan.js';

interface Own {
  manager: EntityManager;
  holder: PlanHolder;
  client: ClientApplication;
}

/**
 * Keys and secrets of the applications of users, as they manage them themselves. All of it is 404 for what is not
 * theirs.
 */
@Injectable()
export class OwnCredentials {
  constructor(
    private readonly database: Database,
    private readonly writes: CredentialWrites,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** A new secret. The one before works on for the overlap; one that was on its way out ends now. */
  rotateSecret(userId: string, clientId: string, overlapSeconds: number): Promise<IssuedCredential> {
    return this.write(userId, clientId, async ({ manager, client }) => {
      if (client.type === 'public') throw noSecret();
      const issued = await replaceClientSecret(manager, this.issuer, clientId, overlapSeconds);
      const details = { secretId: issued.id, overlapSeconds };
      return { result: issued, done: { action: 'client.secret-rotated', target: clientId, details } };
    });
  }

  /** Those that work, oldest first. */
  listKeys(userId: string, clientId: string): Promise<ApiKey[]> {
    return this.database.run(async (manager) => {
      await findOwnOf(manager, userId, clientId);
      return liveCredentials(manager, ApiKey, clientId);
    });
  }

  /** @throws AppError 409 when the user's plan has no room for it */
  createKey(userId: string, clientId: string): Promise<IssuedCredential> {
    return this.write(userId, clientId, async ({ manager, holder }) => {
      await checkRoomForApiKey(manager, holder);
      const issued = await this.issuer.issueApiKey(manager, clientId);
      const details = { keyId: issued.id };
      return { result: issued, done: { action: 'key.created', target: clientId, details } };
    });
  }

  /** A new key in the place of this one, which works on for the overlap. @throws AppError 409 when it ends already */
  rotateKey(
    userId: string,
    clientId: string,
    keyId: string,
    overlapSeconds: number,
  ): Promise<IssuedCredential> {
    return this.write(userId, clientId, async ({ manager }) => {
      const keys = await liveCredentials(manager, ApiKey, clientId);
      const key = keys.find(({ id }) => id === keyId);
      if (!key) throw noSuchKey();
      if (key.expiresAt !== null) throw keyIsEnding();
      const issued = await replaceApiKey(manager, this.issuer, key, overlapSeconds);
      const details = { keyId, newKeyId: issued.id, overlapSeconds };
      return { result: issued, done: { action: 'key.rotated', target: clientId, details } };
    });
  }

  /** Ends a key now. */
  revokeKey(userId: string, clientId: string, keyId: string): Promise<void> {
    return this.write(userId, clientId, async ({ manager }) => {
      if (!(await manager.existsBy(ApiKey, { id: keyId, clientId }))) throw noSuchKey();
      await endCredential(manager, ApiKey, keyId, 0);
      return {
        result: undefined,
        done: { action: 'key.revoked', target: clientId, details: { keyId, inSeconds: 0 } },
      };
    });
  }

  private write<T>(
    userId: string,
    clientId: string,
    work: (own: Own) => Promise<{ result: T; done: Audited }>,
  ): Promise<T> {
    return this.writes.transaction(async (manager) => {
      const { result, done } = await work({ manager, ...(await lockOwnPlanOf(manager, userId, clientId)) });
      await recordAudit(manager, asUser(userId), done);
      await recordChanges(manager, [clientId]);
      return result;
    });
  }
}

const noSecret = () => badRequest('no_secret', 'A public client cannot keep a secret and has none.');

const noSuchKey = () => notFound('no_such_key', 'The application has no such API key.');

const keyIsEnding = () =>
  conflict('key_is_ending', 'This API key was replaced and ends by itself: rotate its successor.');
