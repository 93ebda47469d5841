import { HOUR_MS, MINUTE_MS } from '@app/common';
import { ETHEREUM_CREDENTIAL_LIFETIME_MS } from '@app/auth';
import type { KeyRotationPolicy } from '@app/key-ring';
import type { TokenConfig } from '../token.config.js';

export const TOKEN_KEY_USES = ['access', 'id-rs256', 'id-es256', 'ae', 'nonce'] as const;

/** The one purpose of a key: its id determines purpose and algorithm (contract.md section 4). */
export type TokenKeyUse = (typeof TOKEN_KEY_USES)[number];

/** Covers clock skew and requests in flight when a key retires. */
const RETENTION_MARGIN_MS = 10 * MINUTE_MS;

/**
 * The time during which an old and a new key may both sign. Without it, instances with different values of
 * TOKEN_KEY_SECRET during a rollout would replace each other's keys in turn.
 */
const SIGNING_OVERLAP_MS = HOUR_MS;

export const createTokenKeyPolicy = (use: TokenKeyUse, config: TokenConfig): KeyRotationPolicy => ({
  lifetimeMs: config.TOKEN_KEY_LIFETIME_MS,
  publishAheadMs: config.TOKEN_KEY_PUBLISH_AHEAD_MS,
  overlapMs: SIGNING_OVERLAP_MS,
  retentionMs:
    (use === 'nonce' ? ETHEREUM_CREDENTIAL_LIFETIME_MS : config.ACCESS_TOKEN_LIFETIME_SECONDS * 1_000) +
    RETENTION_MARGIN_MS,
});
