import { IsNull } from 'typeorm';
import type { EntityManager } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import { ClientSecret } from '../entities/client-secret.entity.js';
import type { CredentialIssuer, IssuedCredential } from './credential-issuer.js';
import { loadActiveCredentials, revokeCredential } from '../entities/stored-credentials.queries.js';

/**
 * Issues a successor of a key, which stays valid for the overlap. Revokes the key's own predecessors now, so that repeated
 * rotation cannot create an unlimited number of active keys.
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

/** Issues a new client secret. The current one stays valid for the overlap, so that at most two are active. */
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
