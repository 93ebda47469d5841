import { z } from 'zod';
import { envOrigin, envPostgresUrl } from './env-schemas.js';

/** Where clients find the deployment. Never derived from a Host header. */
export const publicUrlsConfigSchema = z.object({
  PUBLIC_URL: envOrigin.describe(
    'Origin that clients use: issuer and audience of tokens, domain of sign-in messages, start of invitation links.',
  ),
  AUTH_URL: envOrigin
    .optional()
    .meta({ description: 'Origin where users log in.', fallback: '`PUBLIC_URL`' }),
});

/** Where the apps find each other. */
export const appUrlsConfigSchema = z.object({
  GATEWAY_URL: envOrigin.describe(
    'Internal URL of the gateway, which counts queued checks and reports usage.',
  ),
  IDENTITY_URL: envOrigin.describe('Internal URL of identity.'),
  TOKEN_GATING_URL: envOrigin.describe('Internal URL of token-gating.'),
  ACCOUNT_KIT_URL: envOrigin.describe('Internal URL of account-kit.'),
  ANALYTICS_URL: envOrigin.describe('Internal URL of analytics.'),
});

export const databaseUrlConfigSchema = z.object({
  DATABASE_URL: envPostgresUrl.describe(
    'PostgreSQL of the app. Each app owns one schema and may have a server of its own.',
  ),
});
