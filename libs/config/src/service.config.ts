import { MINUTE_MS } from '@app/common';
import { z } from 'zod';
import { envInteger, envRatio, envPort, envSecret } from './env-schemas.js';

export const opaqueTokenConfigSchema = z.object({
  OPAQUE_TOKEN_SECRET: envSecret.describe(
    'Encrypts page tokens and makes invitations. With another secret, earlier ones are refused.',
  ),
});

/** Configuration of every app. */
export const serviceConfigSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('production')
    .describe('`development` shows stacks in errors.'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .meta({ description: 'Address to bind.', format: 'IP address or host name' }),
  PORT: envPort.describe('Port of the app.'),
  MANAGEMENT_PORT: envPort.describe(
    'Port of health checks and metrics, to which the gateway forwards nothing.',
  ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !/[?#@]/.test(text), 'must have no user name, query or fragment')
    .optional()
    .meta({
      description:
        'Where an OpenTelemetry collector takes traces by OTLP over HTTP. Without it nothing is traced.',
      format: 'http(s) URL',
    }),
  OTEL_TRACES_SAMPLER_ARG: envRatio
    .default(0.1)
    .describe('Share of the requests that the gateway traces. The other apps trace what it traces.'),
  SHUTDOWN_DELAY_MS: envInteger(0, MINUTE_MS)
    .default(3_000)
    .describe('How long an app serves on after SIGTERM, until load balancers have noticed.'),
  SHUTDOWN_GRACE_MS: envInteger(100, 5 * MINUTE_MS)
    .default(30_000)
    .describe('After this time an app that is still shutting down exits with code 1.'),
});

export type ServiceConfig = Readonly<z.output<typeof serviceConfigSchema>>;
