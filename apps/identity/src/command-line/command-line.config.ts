import { homedir } from 'node:os';
import { join } from 'node:path';
import { createConfigClass } from '@app/config';
import { z } from 'zod';

/** What `client login`, `logout` and `apply` read. They work with the public API, from any machine, and need nothing of identity's own. */
export const commandLineConfigSchema = z.object({
  GATEHOUSE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: '`PUBLIC_URL` of the deployment with which `login`, `logout` and `apply` work.',
      format: 'http(s) origin without a path',
      fallback: 'none; beside `npm start` its gateway',
    }),
  GATEHOUSE_CLIENT_ID: z.string().max(128).optional().meta({
    description:
      'The public client application to which `login` signs in: the one that the team of the deployment made for its tools.',
    format: 'client id',
    fallback: 'none; beside `npm start` one is made',
  }),
  GATEHOUSE_TOKEN: z.string().max(16_384).optional().meta({
    description: 'Access token with which `apply` works in the place of the session of `login`, in CI.',
    format: 'text',
    fallback: 'none',
    secret: true,
  }),
  XDG_CONFIG_HOME: z.string().optional().meta({
    description:
      'Folder below which `login` keeps its session, as `gatehouse/sessions.json`, readable by its user only.',
    format: 'folder',
    fallback: '`~/.config`',
  }),
});

export class CommandLineConfig extends createConfigClass(commandLineConfigSchema) {
  get sessionFile(): string {
    return join(this.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'gatehouse', 'sessions.json');
  }
}
