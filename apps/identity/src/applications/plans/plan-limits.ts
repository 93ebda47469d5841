import { conflict, notFound } from '@app/common';
import { PLAN_LIMITS } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import { Tenant } from '../entities/tenant.entity.js';

/** Loads a plan holder and keeps others from adding to it until the transaction ends: what is counted stays true. */
export async function lockTenant(manager: EntityManager, id: string): Promise<Tenant> {
  const holder = await manager.findOne(Tenant, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!holder) throw notFound('tenant_not_found', `There is no plan holder ${id}.`);
  return holder;
}

/** @throws AppError 409 when the plan holder has as many client applications as its plan allows (contract.md section 3) */
export async function checkClientApplicationLimit(
  manager: EntityManager,
  { id, plan }: Tenant,
): Promise<void> {
  if (plan === 'enterprise') return;
  const { clients } = PLAN_LIMITS[plan];
  const has = await manager.countBy(ClientApplication, { ownerId: id });
  if (has >= clients)
    throw conflict('client_limit_exceeded', `The ${plan} plan allows ${clients} client applications.`);
}

/** @throws AppError 409 when the plan holder has as many live API keys as its plan allows (contract.md section 3) */
export async function checkApiKeyLimit(manager: EntityManager, { id, plan }: Tenant): Promise<void> {
  if (plan === 'enterprise') return;
  const { keys } = PLAN_LIMITS[plan];
  if ((await countActiveApiKeys(manager, id)) >= keys)
    throw conflict('api_key_limit_exceeded', `The ${plan} plan allows ${keys} live API keys.`);
}

const ACTIVE_SUCCESSOR = `
  SELECT FROM identity.api_keys successor
  WHERE successor.id = "key".replaced_by AND successor.revoked_at IS NULL
    AND (successor.expires_at IS NULL OR successor.expires_at > now())`;

/**
 * The live API keys of a plan holder. A key that ends because another has taken over counts together with its successor:
 * who has as many as the plan allows can still rotate them.
 */
export function countActiveApiKeys(manager: EntityManager, ownerId: string): Promise<number> {
  return manager
    .createQueryBuilder(ApiKey, 'key')
    .innerJoin('key.client', 'client')
    .where('client.ownerId = :ownerId AND client.deletedAt IS NULL AND key.revokedAt IS NULL', { ownerId })
    .andWhere('(key.expiresAt IS NULL OR key.expiresAt > now())')
    .andWhere(`NOT EXISTS (${ACTIVE_SUCCESSOR})`)
    .getCount();
}
