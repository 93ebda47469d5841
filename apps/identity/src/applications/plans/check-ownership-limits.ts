import { conflict } from '@app/common';
import type { EntityManager } from 'typeorm';
import { countActiveApiKeys } from '../entities/api-keys.queries.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { toOwnershipLimits } from './plan-terms.js';

/** @throws AppError 409 when the tenant has as many client applications as its plan allows (contract.md section 3) */
export async function checkClientApplicationLimit(manager: EntityManager, tenant: Tenant): Promise<void> {
  const { maxClientApplications: limit } = toOwnershipLimits(tenant);
  if (limit === null) return;
  const count = await manager.countBy(ClientApplication, { ownerId: tenant.id });
  if (count >= limit)
    throw conflict('client_limit_exceeded', `The ${tenant.plan} plan allows ${limit} client applications.`);
}

/** @throws AppError 409 when the tenant has as many active API keys as its plan allows (contract.md section 3) */
export async function checkApiKeyLimit(manager: EntityManager, tenant: Tenant): Promise<void> {
  const { maxApiKeys: limit } = toOwnershipLimits(tenant);
  if (limit === null) return;
  if ((await countActiveApiKeys(manager, tenant.id)) >= limit)
    throw conflict('api_key_limit_exceeded', `The ${tenant.plan} plan allows ${limit} active API keys.`);
}
