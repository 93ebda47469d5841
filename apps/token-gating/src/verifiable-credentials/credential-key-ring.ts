import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import {
  DAY_MS,
  deriveKey,
  HOUR_MS,
  MINUTE_MS,
  RETRY_AFTER_SECONDS,
  SECOND_MS,
  serviceUnavailable,
} from '@app/common';
import type { Database } from '@app/database';
import {
  isSigningKey,
  KeyRing,
  KeyStore,
  type NewKey,
  type RotatingKey,
  type StoredKey,
} from '@app/key-ring';
import type { Logger } from '@app/service';
import { MAX_CREDENTIAL_LIFETIME_SECONDS } from './credential-types.js';
import type { VerifiableCredentialConfig } from './verifiable-credential.config.js';

const KEY_LIFETIME_MS = 90 * DAY_MS;
const PUBLISH_AHEAD_MS = DAY_MS;
/** Without an overlap, instances with different secrets during a rollout would replace each other's keys in turn. */
const OVERLAP_MS = HOUR_MS;
/** Verifiers can check a credential until a day after it has expired. */
const RETENTION_MS = MAX_CREDENTIAL_LIFETIME_SECONDS * SECOND_MS + DAY_MS;
const REFRESH_INTERVAL_MS = MINUTE_MS;

type CredentialKeyUse = 'jwt';

/** RFC 7517; `kid` is the thumbprint of RFC 7638. */
interface PublicCredentialKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly alg: 'ES256';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
}

export interface CredentialKey extends RotatingKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicCredentialKey;
}

/** The ES256 keys of verifiable credentials and their status lists, which sign nothing else. */
export class CredentialKeyRing extends KeyRing<CredentialKeyUse, readonly CredentialKey[]> {
  constructor(store: KeyStore<CredentialKeyUse>, logger: Logger, clock: () => number = Date.now) {
    super({
      label: 'keys of verifiable credentials',
      secretName: 'CALLBACK_KEY_SECRET',
      store,
      toKeys: (stored) => stored.flatMap((key) => toCredentialKey(key) ?? []),
      refreshIntervalMs: REFRESH_INTERVAL_MS,
      logger,
      clock,
    });
  }

  /** The newest key that may sign. @throws AppError 503 before keys are loaded */
  getSigningKey(): CredentialKey {
    const now = this.now();
    const key = this.getLoaded().findLast((one) => isSigningKey(one, now));
    if (!key) throw credentialKeysUnavailable();
    return key;
  }

  /** @throws AppError 503 before keys are loaded */
  find(kid: unknown): CredentialKey | undefined {
    return this.getLoaded().find((key) => key.kid === kid);
  }

  /** @throws AppError 503 before keys are loaded */
  getPublicKeys(): PublicCredentialKey[] {
    return this.getLoaded().map(({ publicJwk }) => publicJwk);
  }

  private getLoaded(): readonly CredentialKey[] {
    if (!this.current) throw credentialKeysUnavailable();
    return this.current;
  }
}

export function createCredentialKeyStore(
  database: Database,
  { CALLBACK_KEY_SECRET }: VerifiableCredentialConfig,
): KeyStore<CredentialKeyUse> {
  return new KeyStore(database, {
    table: { name: 'token_gating.credential_keys', sealed: 'sealed' },
    lock: 'gatehouse keys of verifiable credentials',
    secret: deriveKey(CALLBACK_KEY_SECRET, 'keys of verifiable credentials'),
    uses: ['jwt'],
    getPolicy: () => ({
      lifetimeMs: KEY_LIFETIME_MS,
      publishAheadMs: PUBLISH_AHEAD_MS,
      overlapMs: OVERLAP_MS,
      retentionMs: RETENTION_MS,
    }),
    createKey: generateCredentialKey,
    toSealContext: (_, kid) => kid,
  });
}

/** Stored are private keys as PKCS #8. */
function generateCredentialKey(): NewKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  // RFC 7638.
  const members = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y });
  const kid = createHash('sha256').update(members).digest('base64url');
  return { kid, bytes: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

/** Undefined for a key that is encrypted under another secret. */
function toCredentialKey({ bytes, kid, ...key }: StoredKey<CredentialKeyUse>): CredentialKey | undefined {
  if (!bytes) return undefined;
  const privateKey = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  // Derived, so that write access to the database alone cannot add a trusted key.
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicJwk = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid, x, y } as const;
  return { ...key, kid, privateKey, publicJwk };
}

const credentialKeysUnavailable = () =>
  serviceUnavailable(
    'credential_keys_unavailable',
    'The keys of verifiable credentials are not loaded yet.',
    {
      retryAfter: RETRY_AFTER_SECONDS.turn,
    },
  );
