import { redisConfigSchema } from '@app/config';
import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envInteger, envOrigin } from '@app/config';
import { databaseConfigSchema } from '@app/database';

import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const cidr = z
  .string()
  .refine((text) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text), 'must be an address or a CIDR');

const cidrList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(cidr));

export const gatewayConfigSchema = principalIssuerConfigSchema.extend({
  /** For the counters of the month; the gateway keeps nothing else. */
  ...databaseConfigSchema.shape,
  /** Where several gateways count together, and hear of changed credentials at once. */
  ...redisConfigSchema.shape,
  /** Where clients reach the service: issuer, audience and `servers` of the document. Never a Host header. */
  PUBLIC_URL: envOrigin,
  /** Where users log in; the public URL unless said otherwise. */
  AUTH_URL: envOrigin.optional(),
  IDENTITY_URL: envOrigin,
  TOKEN_GATING_URL: envOrigin,
  ACCOUNT_KIT_URL: envOrigin,
  ANALYTICS_URL: envOrigin,
  /** Proxies whose `X-Forwarded-For` is believed. */
  TRUSTED_PROXIES: cidrList.default([]),
  /** Requests per second and address for callers that are not yet authenticated. */
  ADDRESS_REQUESTS_PER_SECOND: envInteger(1, 100_000).default(60),
  /** Requests under way at once before new ones are shed with 503. */
  MAX_REQUESTS_UNDER_WAY: envInteger(1, 100_000).default(2_000),
  /** An event loop that is this late is not given more to do. */
  MAX_EVENT_LOOP_DELAY_MS: envInteger(10, 60_000).default(500),
  /** An upstream has this long to answer. */
  UPSTREAM_TIMEOUT_MS: envInteger(100, 120_000).default(15_000),
  /** A request waits no longer for its counters in Redis: its gateway admits it from memory then. */
  COUNTER_TIMEOUT_MS: envInteger(5, 5_000).default(50),
  /** How often identity is asked what was revoked. */
  CREDENTIAL_FEED_INTERVAL_MS: envInteger(50, 4_000).default(1_000),
});

export class GatewayConfig extends createConfigClass(gatewayConfigSchema) {}
