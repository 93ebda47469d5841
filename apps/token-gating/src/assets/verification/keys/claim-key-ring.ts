import { DAY_MS, HOUR_MS, MINUTE_MS, deriveKey, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import type { Database } from '@app/database';
import type { PublicClaimKey } from '@app/dto';
import { isSigningKey, KeyRing, KeyStore } from '@app/key-ring';
import type { Logger } from '@app/service';
import type { AssetClaimConfig } from '../asset-claim.config.js';
import {
  CLAIM_KEY_USES,
  type ClaimFormat,
  type ClaimKey,
  generateClaimKey,
  toClaimKey,
} from './claim-key.js';

const KEY_LIFETIME_MS = 90 * DAY_MS;
const PUBLISH_AHEAD_MS = DAY_MS;
/** Without it, instances with different secrets during a rollout would replace each other's keys in turn. */
const OVERLAP_MS = HOUR_MS;
const REFRESH_INTERVAL_MS = MINUTE_MS;

/** The keys of asset claims, which sign and encrypt nothing else. */
export class ClaimKeyRing extends KeyRing<ClaimFormat, readonly ClaimKey[]> {
  constructor(store: KeyStore<ClaimFormat>, logger: Logger, clock: () => number = Date.now) {
    super({
      label: 'asset claim keys',
      secretName: 'CALLBACK_KEY_SECRET',
      store,
      toKeys: (stored) => stored.flatMap((key) => toClaimKey(key) ?? []),
      refreshIntervalMs: REFRESH_INTERVAL_MS,
      logger,
      clock,
    });
  }

  /** The newest key that may make tokens. @throws AppError 503 before keys are loaded */
  getIssuingKey<Use extends ClaimFormat>(use: Use): Extract<ClaimKey, { use: Use }> {
    const now = this.now();
    const key = this.getLoaded().findLast((one) => one.use === use && isSigningKey(one, now));
    if (!key) throw claimKeysUnavailable();
    return key as Extract<ClaimKey, { use: Use }>;
  }

  /** @throws AppError 503 before keys are loaded */
  find(kid: string | undefined): ClaimKey | undefined {
    return this.getLoaded().find((key) => key.kid === kid);
  }

  /** @throws AppError 503 before keys are loaded */
  getPublicKeys(): PublicClaimKey[] {
    return this.getLoaded().flatMap((key) => (key.use === 'jwt' ? [key.publicJwk] : []));
  }

  private getLoaded(): readonly ClaimKey[] {
    if (!this.current) throw claimKeysUnavailable();
    return this.current;
  }
}

export function createClaimKeyStore(database: Database, config: AssetClaimConfig): KeyStore<ClaimFormat> {
  return new KeyStore(database, {
    table: { name: 'token_gating.asset_claim_keys', sealed: 'sealed', use: 'use' },
    lock: 'gatehouse asset claim keys',
    secret: deriveKey(config.CALLBACK_KEY_SECRET, 'asset claim keys'),
    uses: [...CLAIM_KEY_USES],
    getPolicy: () => ({
      lifetimeMs: KEY_LIFETIME_MS,
      publishAheadMs: PUBLISH_AHEAD_MS,
      overlapMs: OVERLAP_MS,
      retentionMs: config.ASSET_CLAIM_LIFETIME_MS,
    }),
    createKey: generateClaimKey,
    toSealContext: (use, kid) => `${use}:${kid}`,
  });
}

const claimKeysUnavailable = () =>
  serviceUnavailable('asset_claim_keys_unavailable', 'The keys of asset claims are not loaded yet.', {
    retryAfter: RETRY_AFTER_SECONDS.turn,
  });
