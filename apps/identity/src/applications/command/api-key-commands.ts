import { z } from 'zod';
import { defineCommand } from './define-command.js';
import { countFlag } from './flag-schemas.js';

export const createKeyCommand = defineCommand({
  name: 'create-key',
  usage: 'create-key <clientId>',
  argument: 'clientId',
  flags: [],
  schema: z.object({ clientId: z.string() }),
  run: async ({ apiKeys }, { clientId }) => {
    const { id, text } = await apiKeys.create(clientId);
    return { json: { keyId: id, apiKey: text }, text: [`API key     ${text}`, `API key id  ${id}`] };
  },
});

export const revokeKeyCommand = defineCommand({
  name: 'revoke-key',
  usage: 'revoke-key <keyId|apiKey> [--in-seconds <n>]',
  argument: 'key',
  flags: ['in-seconds'],
  schema: z.object({ key: z.string(), 'in-seconds': countFlag.optional() }),
  run: async ({ apiKeys }, { key, 'in-seconds': inSeconds }) => {
    const keyId = await apiKeys.revoke(key, inSeconds);
    const when = inSeconds === undefined ? 'revoked' : `ends in ${inSeconds} seconds`;
    return { json: { keyId }, text: [`API key ${keyId} ${when}`] };
  },
});
