import { IsNull } from 'typeorm';
import type { EntityManager } from 'typeorm';
import { ApiKey } from './api-key.entity.js';
import { ClientSecret } from './client-secret.entity.js';
import type { CredentialIssuer, IssuedCredential } from './credential-issuer.js';
import { endCredential } from './end-credential.js';
import { liveCredentials } from './live-credentials.js';

/**
 * A key in the place of another, which works on for the overlap. What that one had replaced ends now: a key has one
 * predecessor at most, or rotating again and again would make any number of live keys.
 */
export async function replaceApiKey(
  manager: EntityManager,
  issuer: CredentialIssuer,
  key: ApiKey,
  overlapSeconds: number,
): Promise<IssuedCredential> {
  const predecessors = await manager.findBy(ApiKey, { replacedBy: key.id, revokedAt: IsNull() });
  for (const { id } of predecessors) await endCredential(manager, ApiKey, id, 0);
  const issued = await issuer.issueApiKey(manager, key.clientId);
  await manager.update(ApiKey, { id: key.id }, { replacedBy: issued.id });
  await endCredential(manager, ApiKey, key.id, overlapSeconds);
  return issued;
}

/** A new client secret. The one before works on for the overlap, so that two live at most. */
export async function replaceClientSecret(
  manager: EntityManager,
  issuer: CredentialIssuer,
  clientId: string,
  overlapSeconds: number,
): Promise<IssuedCredential> {
  for (const { id, expiresAt } of await liveCredentials(manager, ClientSecret, clientId))
    await endCredential(manager, ClientSecret, id, expiresAt === null ? overlapSeconds : 0);
  return issuer.issueClientSecret(manager, clientId);
}
