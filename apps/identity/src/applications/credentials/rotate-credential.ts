import { IsNull } from 'typeorm';
import type { EntityManager } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import { ClientSecret } from '../entities/client-secret.entity.js';
import type { CredentialIssuer, IssuedCredential } from './credential-issuer.js';
import { revokeCredential } from './revoke-credential.js';
import { loadActiveCredentials } from './load-active-credentials.js';

/**
 * A key in the place of another, which works on for the overlap. What that one had replaced ends now: a key has one
 * predecessor at most, or rotating again and again would make any number of live keys.
 */
export async function rotateApiKey(
  manager: EntityManager,
  issuer: CredentialIssuer,
  key: ApiKey,
  overlapSeconds: number,
): Promise<IssuedCredential> {
  const predecessors = await manager.findBy(ApiKey, { replacedBy: key.id, revokedAt: IsNull() });
  for (const { id } of predecessors) await revokeCredential(manager, ApiKey, id, 0);
  const issued = await issuer.issueApiKey(manager, key.clientId);
  await manager.update(ApiKey, { id: key.id }, { replacedBy: issued.id });
  await revokeCredential(manager, ApiKey, key.id, overlapSeconds);
  return issued;
}

/** A new client secret. The one before works on for the overlap, so that two live at most. */
export async function rotateClientSecret(
  manager: EntityManager,
  issuer: CredentialIssuer,
  clientId: string,
  overlapSeconds: number,
): Promise<IssuedCredential> {
  for (const { id, expiresAt } of await loadActiveCredentials(manager, ClientSecret, clientId))
    await revokeCredential(manager, ClientSecret, id, expiresAt === null ? overlapSeconds : 0);
  return issuer.issueClientSecret(manager, clientId);
}
