import { ETHEREUM_CREDENTIAL_LIFETIME_MS } from '@app/auth';
import type { KeyRotationPolicy } from '@app/common';
import type { TokenKeyConfig } from './token-key.config.js';

/** What a key is for. It is good for nothing else: its id pins purpose and algorithm (contract.md section 4). */
export type TokenKeyUse = 'access' | 'id-rs256' | 'id-es256' | 'ae' | 'nonce';

export const TOKEN_KEY_USES = [
  'access',
  'id-rs256',
  'id-es256',
  'ae',
  'nonce',
] as const satisfies readonly TokenKeyUse[];

const HOUR_MS = 3_600_000;

/** For clocks that differ, and what is under way when its time is over. */
const RETENTION_MARGIN_MS = 600_000;

/**
 * Of two keys that may be used the newer one is. The overlap is for instances that have another TOKEN_KEY_SECRET while a
 * release rolls out: without it they would replace each other's keys in turn.
 */
const SIGNING_OVERLAP_MS = HOUR_MS;

export const createTokenKeyPolicy = (use: TokenKeyUse, config: TokenKeyConfig): KeyRotationPolicy => ({
  lifetimeMs: config.TOKEN_KEY_LIFETIME_MS,
  publishAheadMs: config.TOKEN_KEY_PUBLISH_AHEAD_MS,
  overlapMs: SIGNING_OVERLAP_MS,
  keepMs:
    (use === 'nonce' ? ETHEREUM_CREDENTIAL_LIFETIME_MS : config.ACCESS_TOKEN_LIFETIME_SECONDS * 1_000) +
    RETENTION_MARGIN_MS,
});
