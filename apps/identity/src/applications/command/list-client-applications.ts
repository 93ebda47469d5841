import type { Database } from '@app/database';
import type { PlanName, Scope } from '@app/dto';
import { IsNull } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import {
  ClientApplication,
  type ClientStatus,
  type ClientType,
} from '../entities/client-application.entity.js';

export interface ListedApiKey {
  id: string;
  /** Which key is meant, without what makes it one: `gth_live_0123456789Ab…wxyz`. */
  hint: string;
  expiresAt: Date | null;
}

export interface ListedClientApplication {
  clientId: string;
  ownerId: string;
  name: string;
  type: ClientType;
  plan: PlanName;
  status: ClientStatus;
  scopes: Scope[];
  /** What it asked for and does not have. */
  awaitingScopes: Scope[];
  keys: ListedApiKey[];
}

/** The client applications that are not deleted, oldest first, with the keys that are not revoked. */
export function listClientApplications(database: Database): Promise<ListedClientApplication[]> {
  return database.withConnection(async (manager) => {
    const clients = await manager.find(ClientApplication, {
      relations: { owner: true },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    const keys = await manager.find(ApiKey, {
      where: { revokedAt: IsNull() },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    return clients.map(({ id, ownerId, name, type, owner, status, requestedScopes, approvedScopes }) => ({
      clientId: id,
      ownerId,
      name,
      type,
      plan: owner.plan,
      status,
      scopes: approvedScopes,
      awaitingScopes: requestedScopes.filter((scope) => !approvedScopes.includes(scope)),
      keys: keys.filter(({ clientId }) => clientId === id).map(toListedApiKey),
    }));
  });
}

const toListedApiKey = ({ id, prefix, lastFour, expiresAt }: ApiKey): ListedApiKey => ({
  id,
  hint: `${prefix}…${lastFour}`,
  expiresAt,
});
