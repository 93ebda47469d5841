import { MINUTE_MS, MINUTE_SECONDS } from '@app/common';
import { z } from 'zod';
import {
  envInteger,
  envRatio,
  envPort,
  envSecret,
  envJson,
  envOrigin,
  envPostgresUrl,
} from './env-schemas.js';

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

/** The gateway's schema of the variable is stricter, and has the same description. */
export const ALIASES_DESCRIPTION =
  'Other spellings of paths, headers, values of query parameters and fields, and security schemes, for clients that were written for them ([recipe](recipes.md#serve-clients-written-for-another-spelling)). The same for the gateway and the apps behind it.';

/** URLs at which clients find the deployment. They are never derived from a Host header. */
export const publicUrlsConfigSchema = z.object({
  PUBLIC_URL: envOrigin.describe(
    'Origin that clients use: issuer and audience of tokens, domain of sign-in messages, start of invitation links.',
  ),
  AUTH_URL: envOrigin
    .optional()
    .meta({ description: 'Origin where users log in.', fallback: '`PUBLIC_URL`' }),
});

/** URLs at which the apps find each other. */
export const appUrlsConfigSchema = z.object({
  GATEWAY_URL: envOrigin.describe(
    'Internal URL of the gateway, which counts queued checks and reports usage.',
  ),
  IDENTITY_URL: envOrigin.describe('Internal URL of identity.'),
  TOKEN_GATING_URL: envOrigin.describe('Internal URL of token-gating.'),
  ACCOUNT_KIT_URL: envOrigin.describe('Internal URL of account-kit.'),
  ANALYTICS_URL: envOrigin.describe('Internal URL of analytics.'),
});

/**
 * Each pooled connection to PostgreSQL is replaced after this time. After a failover an old primary may be back as a replica behind the same
 * address, where a connection that only reads would stay for good.
 */
export const DATABASE_CONNECTION_LIFETIME_SECONDS = 5 * MINUTE_SECONDS;

export const databaseUrlConfigSchema = z.object({
  DATABASE_URL: envPostgresUrl.describe(
    'PostgreSQL of the app. Each app owns one schema and may have a server of its own.',
  ),
});

/** What the apps behind the gateway read of `GATEWAY_ALIASES`: the gateway alone checks all of it, and rewrites requests. */
export const fieldAliasesConfigSchema = z.object({
  GATEWAY_ALIASES: envJson(
    z.object({ queryValues: z.record(z.string(), z.record(z.string(), z.string())).default({}) }),
  )
    .optional()
    .describe(ALIASES_DESCRIPTION),
});
