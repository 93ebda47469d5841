import { z } from 'zod';
import { COMMAND_LINE_ACTOR } from '../audit/audit-action.js';
import { defineCommand } from './define-command.js';
import { scopesFlag } from './flag-schemas.js';

export const approveCommand = defineCommand({
  name: 'approve',
  usage: 'approve <clientId> [--scopes <a,b>]',
  argument: 'clientId',
  flags: ['scopes'],
  schema: z.object({ clientId: z.string(), scopes: scopesFlag.optional() }),
  run: async ({ approvals }, { clientId, scopes }) => {
    const { approvedScopes } = await approvals.approve(COMMAND_LINE_ACTOR, clientId, { scopes });
    const text = `${clientId} is approved and has ${approvedScopes.join(', ') || 'no scopes'}`;
    return { json: { clientId, scopes: approvedScopes }, text: [text] };
  },
});

export const rejectCommand = defineCommand({
  name: 'reject',
  usage: 'reject <clientId> --reason <text>',
  argument: 'clientId',
  flags: ['reason'],
  schema: z.object({ clientId: z.string(), reason: z.string().min(1).max(1_000) }),
  run: async ({ approvals }, { clientId, reason }) => {
    const { approvedScopes } = await approvals.reject(COMMAND_LINE_ACTOR, clientId, { reason });
    const text = `${clientId} is rejected and has ${approvedScopes.join(', ') || 'no scopes'}`;
    return { json: { clientId, scopes: approvedScopes }, text: [text] };
  },
});
