import type { Database } from '@app/database';
import { IsNull } from 'typeorm';
import { z } from 'zod';
import { ApiKey } from '../entities/api-key.entity.js';
import { formatCredentialHint } from '../entities/stored-credential.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import { defineCommand } from './define-command.js';

/** The client applications that are not deleted, oldest first, with the keys that are not revoked. */
function listClientApplications(database: Database) {
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

const toListedApiKey = (key: ApiKey) => ({
  id: key.id,
  hint: formatCredentialHint(key),
  expiresAt: key.expiresAt,
});

export const listCommand = defineCommand({
  name: 'list',
  usage: 'list',
  flags: [],
  schema: z.object({}),
  run: async ({ database }) => {
    const clients = await listClientApplications(database);
    const text = clients.flatMap(
      ({ clientId, ownerId, name, plan, status, scopes, awaitingScopes, keys }) => [
        `${clientId}  ${name}  owner ${ownerId}  ${plan}  ${status}  ${scopes.join(',') || 'no scopes'}${awaitingScopes.length > 0 ? `  without ${awaitingScopes.join(',')}` : ''}`,
        ...keys.map(
          ({ id, hint, expiresAt }) =>
            `  key ${id}  ${hint}${expiresAt ? `  until ${expiresAt.toISOString()}` : ''}`,
        ),
      ],
    );
    return { json: { clients }, text: text.length > 0 ? text : ['No client applications yet.'] };
  },
});
