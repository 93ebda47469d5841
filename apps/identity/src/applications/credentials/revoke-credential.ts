import type { EntityManager } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import type { ClientSecret } from '../entities/client-secret.entity.js';

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
