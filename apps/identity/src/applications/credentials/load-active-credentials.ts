import type { EntityManager, ObjectType } from 'typeorm';
import { isActiveCredentialSql, type StoredCredential } from '../entities/stored-credential.js';

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
