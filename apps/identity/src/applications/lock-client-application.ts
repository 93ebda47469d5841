import { notFound } from '@app/common';
import type { EntityManager } from 'typeorm';
import { ClientApplication } from './entities/client-application.entity.js';

/**
 * Loads an application and locks it against changes until the transaction ends. The lock does not block inserts of
 * credentials, which reference the row.
 */
export async function lockClientApplication(manager: EntityManager, id: string): Promise<ClientApplication> {
  const client = await manager.findOne(ClientApplication, {
    where: { id },
    lock: { mode: 'for_no_key_update' },
  });
  if (!client) throw notFound('client_not_found', `No client application has the id ${id}.`);
  return client;
}
