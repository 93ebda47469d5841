import { type ClientCredentialKind, createClientCredential } from '@app/auth';
import { SECOND_MS } from '@app/common';
import { createHmac } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ApiKey, type KeyTerms } from '../entities/api-key.entity.js';
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

  async issueApiKey(manager: EntityManager, clientId: string, terms: KeyTerms): Promise<IssuedCredential> {
    const { text, row } = this.create('gth', clientId);
    const { expiresAt } = terms;
    const lifetimeMs = expiresAt && Math.max(SECOND_MS, expiresAt.getTime() - Date.now());
    const lifetimeSeconds = lifetimeMs && Math.round(lifetimeMs / SECOND_MS);
    await manager.insert(ApiKey, { ...row, ...terms, lifetimeSeconds });
    return { id: row.id, text };
  }

  async issueClientSecret(manager: EntityManager, clientId: string): Promise<IssuedCredential> {
    const { text, row } = this.create('gths', clientId);
    await manager.insert(ClientSecret, row);
    return { id: row.id, text };
  }

  private create(kind: ClientCredentialKind, clientId: string) {
    const { environment } = this;
    const { id, text } = createClientCredential(kind, environment);
    const prefix = `${kind}_${environment}_${id}`;
    const hash = this.hasher.hash(text);
    return { text, row: { id, clientId, environment, hash, prefix, lastFour: text.slice(-4) } };
  }
}
