import { MINUTE_MS } from '@app/common';
import { principalIssuerConfigSchema } from '@app/auth';
import {
  ALIASES_DESCRIPTION,
  appUrlsConfigSchema,
  createConfigClass,
  envInteger,
  envJson,
  publicUrlsConfigSchema,
  redisConfigSchema,
} from '@app/config';
import { databaseConfigSchema } from '@app/database';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { aliasesSchema } from './aliases/aliases.schema.js';

const cidr = z
  .string()
  .refine((text) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text), 'must be an IP address or a CIDR');

const cidrList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(cidr))
  .meta({ format: 'IP addresses or CIDRs, comma separated' });

const { IDENTITY_URL, TOKEN_GATING_URL, ACCOUNT_KIT_URL, ANALYTICS_URL } = appUrlsConfigSchema.shape;

export const gatewayConfigSchema = principalIssuerConfigSchema.extend({
  /** Stores the monthly usage counters, the only persistent data of the gateway. */
  ...databaseConfigSchema.shape,
  /** Shares rate limits between replicas and announces changed credentials without polling delay. */
  ...redisConfigSchema.shape,
  ...publicUrlsConfigSchema.shape,
  IDENTITY_URL,
  TOKEN_GATING_URL,
  ACCOUNT_KIT_URL,
  ANALYTICS_URL,
  TRUSTED_PROXIES: cidrList.default([]).describe('Proxies whose `X-Forwarded-For` is trusted.'),
  ADDRESS_REQUESTS_PER_SECOND: envInteger(1, 100_000)
    .default(60)
    .describe(
      'Rate limit per IP address for callers that are not authenticated yet. An IPv6 /64 counts as one address.',
    ),
  MAX_REQUESTS_UNDER_WAY: envInteger(1, 100_000)
    .default(2_000)
    .describe(
      'Requests in flight above which new ones are answered 503. One tenant, or one IP address without a credential, may have the square of what is left divided by this number: 38 % of it alone. Above it 429.',
    ),
  MAX_EVENT_LOOP_DELAY_MS: envInteger(10, MINUTE_MS)
    .default(500)
    .describe('Median delay of the event loop above which new requests are answered 503.'),
  UPSTREAM_TIMEOUT_MS: envInteger(100, 2 * MINUTE_MS)
    .default(15_000)
    .describe(
      "Timeout of an app's answer: of its headers, and between two chunks of its body. It begins after the longest wait that a client may ask for (`Prefer: wait`).",
    ),
  COUNTER_TIMEOUT_MS: envInteger(5, 5_000)
    .default(50)
    .describe('Timeout of the rate-limit counters in Redis. After it a request is counted in memory.'),
  CREDENTIAL_FEED_INTERVAL_MS: envInteger(50, 4_000)
    .default(1_000)
    .describe('Polling interval of the revocation feed.'),
  MAX_REVOKED_TOKENS: envInteger(1, 10_000_000)
    .default(200_000)
    .describe(
      'Revoked tokens held in memory, about 200 bytes each. While there are more, identity is asked about each token at its first use.',
    ),
  GATEWAY_ALIASES: envJson(aliasesSchema).optional().describe(ALIASES_DESCRIPTION),
  EXAMPLE_VALUES_FILE: z
    .string()
    .optional()
    .describe(
      "Values for the names in braces in the OpenAPI document's examples; for the local profile only.",
    )
    .meta({ format: 'path of a JSON file' }),
});

export class GatewayConfig extends createConfigClass(gatewayConfigSchema) {}
