import { z } from 'zod';
import { COMMAND } from '../audit/actor.js';
import { defineCommand } from './define-command.js';
import { flagScopes } from './flag-types.js';

export const approve = defineCommand({
  name: 'approve',
  usage: 'approve <clientId> [--scopes <a,b>]',
  argument: 'clientId',
  flags: ['scopes'],
  schema: z.object({ clientId: z.string(), scopes: flagScopes.optional() }),
  run: async ({ approvals }, { clientId, scopes }) => {
    const { approvedScopes } = await approvals.approve(COMMAND, clientId, { scopes });
    const text = `${clientId} is approved and has ${approvedScopes.join(', ') || 'no scopes'}`;
    return { json: { clientId, scopes: approvedScopes }, text: [text] };
  },
});

export const reject = defineCommand({
  name: 'reject',
  usage: 'reject <clientId> --reason <text>',
  argument: 'clientId',
  flags: ['reason'],
  schema: z.object({ clientId: z.string(), reason: z.string().min(1).max(1_000) }),
  run: async ({ approvals }, { clientId, reason }) => {
    const { approvedScopes } = await approvals.reject(COMMAND, clientId, { reason });
    const text = `${clientId} is rejected and has ${approvedScopes.join(', ') || 'no scopes'}`;
    return { json: { clientId, scopes: approvedScopes }, text: [text] };
  },
});
