import type { EntityManager, ObjectType } from 'typeorm';
import type { ApiKey } from './api-key.entity.js';
import type { ClientSecret } from './client-secret.entity.js';
import { isActiveCredentialSql, type StoredCredential } from './stored-credential.js';

/** The active API keys or client secrets of an application, oldest first. */
export function loadActiveCredentials<C extends StoredCredential>(
  manager: EntityManager,
  entity: ObjectType<C>,
  clientId: string,
): Promise<C[]> {
  return manager
    .createQueryBuilder(entity, 'credential')
    .where({ clientId })
    .andWhere(isActiveCredentialSql('credential'))
    .orderBy('credential.createdAt')
    .addOrderBy('credential.id')
    .getMany();
}

/** Revokes a credential now, or lets it expire in `inSeconds` unless it expires earlier. Idempotent. */
export async function revokeCredential(
  manager: EntityManager,
  entity: typeof ApiKey | typeof ClientSecret,
  id: string,
  inSeconds: number,
): Promise<void> {
  const end =
    inSeconds === 0
      ? { revokedAt: () => 'coalesce(revoked_at, now())' }
      : { expiresAt: () => 'least(expires_at, now() + make_interval(secs => :inSeconds))' };
  await manager
    .createQueryBuilder()
    .update<ApiKey | ClientSecret>(entity)
    .set(end)
    .where({ id })
    .setParameters({ inSeconds })
    .execute();
}
