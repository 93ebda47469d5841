import type { Database } from '@app/database';
import type { PlanName, Scope } from '@app/dto';
import { IsNull } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import { formatCredentialHint } from '../entities/stored-credential.js';
import {
  ClientApplication,
  type ClientStatus,
  type ClientType,
} from '../entities/client-application.entity.js';

export interface ListedApiKey {
  id: string;
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
  /** Requested, but not approved. */
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

const toListedApiKey = (key: ApiKey): ListedApiKey => ({
  id: key.id,
  hint: formatCredentialHint(key),
  expiresAt: key.expiresAt,
});
