import { notFound } from '@app/common';
import type { EntityManager } from 'typeorm';
import { ClientApplication } from './entities/client-application.entity.js';

/**
 * Loads an application and keeps others from changing it until the transaction ends: what is decided about it is decided
 * about what it is. Credentials can be added to it meanwhile.
 */
export async function lockClientApplication(manager: EntityManager, id: string): Promise<ClientApplication> {
  const client = await manager.findOne(ClientApplication, {
    where: { id },
    lock: { mode: 'for_no_key_update' },
  });
  if (!client) throw notFound('client_not_found', `There is no client application ${id}.`);
  return client;
}
