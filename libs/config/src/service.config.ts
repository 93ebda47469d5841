import { z } from 'zod';
import { envInteger, envPort, envSecret } from './env-schemas.js';

/** What keys of opaque texts are derived from (`derivedKey`): page tokens, invitations. The same in every instance. */
export const opaqueTokenConfigSchema = z.object({ OPAQUE_TOKEN_SECRET: envSecret });

/** What every app reads, whatever it does. */
export const serviceConfigSchema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('production'),
  HOST: z.string().default('127.0.0.1'),
  PORT: envPort,
  /** Health and metrics live on a port of their own, which no gateway forwards to. */
  MANAGEMENT_PORT: envPort,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** How long an app goes on serving after the signal while load balancers forget it. */
  SHUTDOWN_DELAY_MS: envInteger(0, 60_000).default(3_000),
  /** After this long an app that drains gives up and exits 1. */
  SHUTDOWN_GRACE_MS: envInteger(100, 300_000).default(30_000),
});

export type ServiceConfig = Readonly<z.output<typeof serviceConfigSchema>>;
