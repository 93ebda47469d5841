import { conflict } from '@app/common';
import { PLAN_LIMITS } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { countActiveApiKeys } from '../entities/api-keys.queries.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import type { Tenant } from '../entities/tenant.entity.js';

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
