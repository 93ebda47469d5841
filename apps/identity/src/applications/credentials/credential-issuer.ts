import { type ClientCredentialKind, createClientCredential } from '@app/auth';
import { createHmac } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import { ClientSecret } from '../entities/client-secret.entity.js';

/**
 * Hashes credentials for storage and lookup. A fast hash is enough for 256 random bits, and the key prevents offline checks
 * against a stolen table.
 */
export class CredentialHasher {
  constructor(private readonly pepper: Buffer) {}

  hash(credential: string): Buffer {
    return createHmac('sha256', this.pepper).update(credential).digest();
  }
}

export interface IssuedCredential {
  id: string;
  /** Shown once; only its hash is stored. */
  text: string;
}

/** Generates credentials and stores their hashes in the caller's transaction. */
export class CredentialIssuer {
  constructor(
    private readonly hasher: CredentialHasher,
    private readonly environment: string,
  ) {}

  issueApiKey(manager: EntityManager, clientId: string): Promise<IssuedCredential> {
    return this.issue(manager, ApiKey, 'gth', clientId);
  }

  issueClientSecret(manager: EntityManager, clientId: string): Promise<IssuedCredential> {
    return this.issue(manager, ClientSecret, 'gths', clientId);
  }

  private async issue(
    manager: EntityManager,
    entity: typeof ApiKey | typeof ClientSecret,
    kind: ClientCredentialKind,
    clientId: string,
  ): Promise<IssuedCredential> {
    const { environment } = this;
    const { id, text } = createClientCredential(kind, environment);
    const prefix = `${kind}_${environment}_${id}`;
    const hash = this.hasher.hash(text);
    await manager.insert(entity, { id, clientId, environment, hash, prefix, lastFour: text.slice(-4) });
    return { id, text };
  }
}
