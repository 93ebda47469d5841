import { createPrefixedId, notFound } from '@app/common';
import type { EntityManager } from 'typeorm';
import { ClientApplication } from '../entities/client-application.entity.js';
import { Tenant } from '../entities/tenant.entity.js';
import { lockTenant } from './plan-limits.js';

/** The user's own plan, locked; a free one is made when there is none, once, however many ask for it at once. */
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

/**
 * An application of the user's, with the plan that is locked: whatever else the user does at once waits its turn.
 * @throws AppError 404 when there is none, also when it is somebody else's
 */
export async function lockOwnedApplication(
  manager: EntityManager,
  userId: string,
  clientId: string,
): Promise<{ holder: Tenant; client: ClientApplication }> {
  const own = await manager.findOneBy(Tenant, { userId });
  if (!own) throw applicationNotFound();
  const holder = await lockTenant(manager, own.id);
  return { holder, client: await loadTenantApplication(manager, own.id, clientId) };
}

/** The same, to look at. */
export async function loadOwnedApplication(
  manager: EntityManager,
  userId: string,
  clientId: string,
): Promise<ClientApplication> {
  const client = await manager.findOneBy(ClientApplication, { id: clientId, owner: { userId } });
  if (!client) throw applicationNotFound();
  return client;
}

async function loadTenantApplication(
  manager: EntityManager,
  ownerId: string,
  clientId: string,
): Promise<ClientApplication> {
  const client = await manager.findOneBy(ClientApplication, { id: clientId, ownerId });
  if (!client) throw applicationNotFound();
  return client;
}

const applicationNotFound = () =>
  notFound('client_not_found', 'You have no client application with this id.');
