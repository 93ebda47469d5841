import { z } from 'zod';
import { listClientApplications } from './list-client-applications.js';
import { defineCommand } from './define-command.js';

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
