import { z } from 'zod';
import { envInteger, envPort, envSecret } from './env-schemas.js';

/** The secret that keys of page tokens and invitations are derived from; the same in every replica. */
export const opaqueTokenConfigSchema = z.object({ OPAQUE_TOKEN_SECRET: envSecret });

/** Configuration of every app. */
export const serviceConfigSchema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('production'),
  HOST: z.string().default('127.0.0.1'),
  PORT: envPort,
  /** The port of health checks and metrics, which the gateway does not forward to. */
  MANAGEMENT_PORT: envPort,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** How long an app still serves requests after the shutdown signal, until load balancers have removed it. */
  SHUTDOWN_DELAY_MS: envInteger(0, 60_000).default(3_000),
  /** Timeout of the graceful shutdown; then the app exits with code 1. */
  SHUTDOWN_GRACE_MS: envInteger(100, 300_000).default(30_000),
});

export type ServiceConfig = Readonly<z.output<typeof serviceConfigSchema>>;
