import { DAY_MS, HOUR_MS, MINUTE_MS, deriveKey, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import type { Database } from '@app/database';
import { type PublicClaimKey, CLAIM_KEY_ID_PREFIX } from '@app/dto';
import {
  isSigningKey,
  KeyRing,
  KeyStore,
  type NewKey,
  type RotatingKey,
  type StoredKey,
} from '@app/key-ring';
import type { Logger } from '@app/service';
import type { AssetClaimConfig } from './asset-claim.config.js';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

export const CLAIM_KEY_USES = ['jwt', 'ae'] as const;

/** The format of the tokens that a key makes: `jwt` signs with ES256, `ae` encrypts with A256GCM. */
export type ClaimFormat = (typeof CLAIM_KEY_USES)[number];

type ClaimKey = RotatingKey &
  (
    | { readonly use: 'jwt'; readonly privateKey: KeyObject; readonly publicJwk: PublicClaimKey }
    | { readonly use: 'ae'; readonly secret: Buffer }
  );

const ID_BYTES = 32;
const SECRET_BYTES = 32;

/** Stored are a private key as PKCS #8, or a secret of 32 bytes. */
function generateClaimKey(use: ClaimFormat): NewKey {
  if (use === 'ae') return { kid: toKeyId(randomBytes(ID_BYTES)), bytes: randomBytes(SECRET_BYTES) };
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  // RFC 7638.
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest();
  return { kid: toKeyId(thumbprint), bytes: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

/** Undefined for a key that is encrypted under another secret. */
function toClaimKey({ bytes, use, ...key }: StoredKey<ClaimFormat>): ClaimKey | undefined {
  if (!bytes) return undefined;
  if (use === 'ae') return { ...key, use, secret: bytes };
  const privateKey = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  // Derived, so that write access to the database alone cannot add a trusted key.
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicJwk = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: key.kid, x, y } as const;
  return { ...key, use, privateKey, publicJwk };
}

const toKeyId = (bytes: Buffer): string => CLAIM_KEY_ID_PREFIX + bytes.toString('base64url');

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
