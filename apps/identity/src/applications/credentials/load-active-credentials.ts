import type { EntityManager, ObjectType } from 'typeorm';
import type { StoredCredential } from '../entities/stored-credential.js';

/** The API keys or client secrets of an application that work, oldest first. */
export function loadActiveCredentials<C extends StoredCredential>(
  manager: EntityManager,
  entity: ObjectType<C>,
  clientId: string,
): Promise<C[]> {
  return manager
    .createQueryBuilder(entity, 'credential')
    .where('credential.clientId = :clientId AND credential.revokedAt IS NULL', { clientId })
    .andWhere('(credential.expiresAt IS NULL OR credential.expiresAt > now())')
    .orderBy('credential.createdAt')
    .addOrderBy('credential.id')
    .getMany();
}
