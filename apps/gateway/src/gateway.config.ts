import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envInteger, envOrigin, redisConfigSchema } from '@app/config';
import { databaseConfigSchema } from '@app/database';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const cidr = z
  .string()
  .refine((text) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text), 'must be an IP address or a CIDR');

const cidrList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(cidr));

export const gatewayConfigSchema = principalIssuerConfigSchema.extend({
  /** Stores the monthly usage counters, the only persistent data of the gateway. */
  ...databaseConfigSchema.shape,
  /** Shares rate limits between replicas and announces changed credentials without polling delay. */
  ...redisConfigSchema.shape,
  /** The origin that clients use: issuer, audience and `servers` of the OpenAPI document. Never taken from a Host header. */
  PUBLIC_URL: envOrigin,
  /** The origin of the login pages; defaults to PUBLIC_URL. */
  AUTH_URL: envOrigin.optional(),
  IDENTITY_URL: envOrigin,
  TOKEN_GATING_URL: envOrigin,
  ACCOUNT_KIT_URL: envOrigin,
  ANALYTICS_URL: envOrigin,
  /** Proxies whose `X-Forwarded-For` is trusted: IP addresses or CIDRs, comma separated. */
  TRUSTED_PROXIES: cidrList.default([]),
  /** Requests per second and IP address of callers that are not authenticated yet. */
  ADDRESS_REQUESTS_PER_SECOND: envInteger(1, 100_000).default(60),
  /** Concurrent requests above which new ones are shed with 503. */
  MAX_REQUESTS_UNDER_WAY: envInteger(1, 100_000).default(2_000),
  /** Median event loop delay above which new requests are shed with 503. */
  MAX_EVENT_LOOP_DELAY_MS: envInteger(10, 60_000).default(500),
  /** Timeout for an upstream's response headers, and between two chunks of its body. */
  UPSTREAM_TIMEOUT_MS: envInteger(100, 120_000).default(15_000),
  /** Timeout for rate limit counters in Redis; then the replica counts the request in memory. */
  COUNTER_TIMEOUT_MS: envInteger(5, 5_000).default(50),
  /** Poll interval of identity's revocation feed. */
  CREDENTIAL_FEED_INTERVAL_MS: envInteger(50, 4_000).default(1_000),
});

export class GatewayConfig extends createConfigClass(gatewayConfigSchema) {}
