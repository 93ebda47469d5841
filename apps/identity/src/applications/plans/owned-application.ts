import { notFound } from '@app/common';
import type { EntityManager } from 'typeorm';
import { ClientApplication } from '../entities/client-application.entity.js';
import { Tenant } from '../entities/tenant.entity.js';
import { lockTenant } from '../entities/tenants.queries.js';

/**
 * Loads the user's application and locks its tenant, which serialises the user's changes.
 * @throws AppError 404 when it does not exist or belongs to another user
 */
export async function lockOwnedApplication(
  manager: EntityManager,
  userId: string,
  clientId: string,
): Promise<{ tenant: Tenant; client: ClientApplication }> {
  const found = await manager.findOneBy(Tenant, { userId });
  if (!found) throw applicationNotFound();
  const tenant = await lockTenant(manager, found.id);
  const client = await manager.findOneBy(ClientApplication, { id: clientId, ownerId: tenant.id });
  if (!client) throw applicationNotFound();
  return { tenant, client };
}

/** Loads an application of the user as `lockOwnedApplication` does, without a lock. */
export async function loadOwnedApplication(
  manager: EntityManager,
  userId: string,
  clientId: string,
): Promise<ClientApplication> {
  const client = await manager.findOneBy(ClientApplication, { id: clientId, owner: { userId } });
  if (!client) throw applicationNotFound();
  return client;
}

const applicationNotFound = () =>
  notFound('client_not_found', 'You have no client application with this id.');
