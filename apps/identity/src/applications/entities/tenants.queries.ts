import { createPrefixedId, notFound } from '@app/common';
import type { EntityManager } from 'typeorm';
import { Tenant } from './tenant.entity.js';

/** Loads and locks a tenant until the transaction ends, so that the counts of its limits stay true. */
export async function lockTenant(manager: EntityManager, id: string): Promise<Tenant> {
  const tenant = await manager.findOne(Tenant, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!tenant) throw notFound('tenant_not_found', `No tenant has the id ${id}.`);
  return tenant;
}

/** Locks the user's tenant, and creates it on the free plan if necessary. Safe for concurrent calls. */
export async function lockOrCreateTenant(manager: EntityManager, userId: string): Promise<Tenant> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(Tenant)
    .values({
      id: createPrefixedId('owner'),
      name: userId,
      plan: 'free',
      perSecond: null,
      perMonth: null,
      userId,
    })
    .orIgnore()
    .execute();
  const { id } = await manager.findOneByOrFail(Tenant, { userId });
  return lockTenant(manager, id);
}
