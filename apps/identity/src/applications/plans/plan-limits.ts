import { conflict, notFound } from '@app/common';
import { PLAN_LIMITS } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import { isActiveCredentialSql } from '../entities/stored-credential.js';
import { Tenant } from '../entities/tenant.entity.js';

/** Loads and locks a tenant until the transaction ends, so that the counts of its limits stay true. */
export async function lockTenant(manager: EntityManager, id: string): Promise<Tenant> {
  const tenant = await manager.findOne(Tenant, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!tenant) throw notFound('tenant_not_found', `No tenant has the id ${id}.`);
  return tenant;
}

/** @throws AppError 409 when the tenant has as many client applications as its plan allows (contract.md section 3) */
export async function checkClientApplicationLimit(
  manager: EntityManager,
  { id, plan }: Tenant,
): Promise<void> {
  if (plan === 'enterprise') return;
  const { clients } = PLAN_LIMITS[plan];
  const count = await manager.countBy(ClientApplication, { ownerId: id });
  if (count >= clients)
    throw conflict('client_limit_exceeded', `The ${plan} plan allows ${clients} client applications.`);
}

/** @throws AppError 409 when the tenant has as many active API keys as its plan allows (contract.md section 3) */
export async function checkApiKeyLimit(manager: EntityManager, { id, plan }: Tenant): Promise<void> {
  if (plan === 'enterprise') return;
  const { keys } = PLAN_LIMITS[plan];
  if ((await countActiveApiKeys(manager, id)) >= keys)
    throw conflict('api_key_limit_exceeded', `The ${plan} plan allows ${keys} active API keys.`);
}

const ACTIVE_SUCCESSOR = `
  SELECT FROM identity.api_keys successor
  WHERE successor.id = "key".replaced_by AND ${isActiveCredentialSql('successor')}`;

/**
 * Counts the active API keys of a tenant. A rotated key and its successor count as one, so that keys can be rotated at the
 * plan's limit.
 */
export function countActiveApiKeys(manager: EntityManager, ownerId: string): Promise<number> {
  return manager
    .createQueryBuilder(ApiKey, 'key')
    .innerJoin('key.client', 'client')
    .where('client.ownerId = :ownerId AND client.deletedAt IS NULL', { ownerId })
    .andWhere(isActiveCredentialSql('key'))
    .andWhere(`NOT EXISTS (${ACTIVE_SUCCESSOR})`)
    .getCount();
}
