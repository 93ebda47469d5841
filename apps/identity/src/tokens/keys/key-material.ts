import { ETHEREUM_CREDENTIAL_LIFETIME_MS } from '@app/auth';
import type { Database } from '@app/database';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import { HOUR_MS, MINUTE_MS, toBase62 } from '@app/common';
import { type KeyRotationPolicy, KeyStore, type NewKey } from '@app/key-ring';
import type { JWK } from 'jose';
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

const generateKeyPairAsync = promisify(generateKeyPair);

const RSA_BITS = 2_048;
const SECRET_BYTES = 32;
const SECRET_ID_BYTES = 5;
const SECRET_ID_DIGITS = 8;

export interface SigningKeyPair {
  readonly alg: 'ES256' | 'RS256';
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/** RFC 7517; `kid` is the thumbprint of RFC 7638. */
export type PublicJwk = JWK & { kty: string; kid: string; alg: string; use: 'sig' };

export const isSecretUse = (use: TokenKeyUse): use is 'ae' | 'nonce' => use === 'ae' || use === 'nonce';

/** Generates a key pair, stored as PKCS #8, or a secret, stored as raw bytes. */
export async function createKeyMaterial(use: TokenKeyUse): Promise<NewKey> {
  if (isSecretUse(use)) {
    const kid = toBase62(randomBytes(SECRET_ID_BYTES), SECRET_ID_DIGITS);
    return { kid, bytes: randomBytes(SECRET_BYTES) };
  }
  const { privateKey, publicKey } =
    use === 'id-rs256'
      ? await generateKeyPairAsync('rsa', { modulusLength: RSA_BITS })
      : await generateKeyPairAsync('ec', { namedCurve: 'P-256' });
  return { kid: computeThumbprint(publicKey), bytes: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

export function toSigningKeyPair(kid: string, bytes: Buffer): SigningKeyPair {
  const privateKey = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const alg = publicKey.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
  const jwk = publicKey.export({ format: 'jwk' }) as { kty: string };
  return { alg, privateKey, publicJwk: { ...jwk, kid, alg, use: 'sig' } };
}

/** RFC 7638 section 3: hash of the required members in lexicographic order. */
function computeThumbprint(publicKey: KeyObject): string {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' });
  const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

/**
 * Token keys in PostgreSQL. Public keys are derived from the decrypted private keys, so that write access to the database alone
 * cannot add a trusted key.
 */
export const createTokenKeyStore = (database: Database, config: TokenConfig): KeyStore<TokenKeyUse> =>
  new KeyStore(database, {
    table: { name: 'identity.token_keys', sealed: 'sealed', use: 'use' },
    lock: 'gatehouse token keys',
    secret: config.TOKEN_KEY_SECRET,
    uses: TOKEN_KEY_USES,
    getPolicy: (use) => createTokenKeyPolicy(use, config),
    createKey: createKeyMaterial,
    toSealContext: (use, kid) => `${use}:${kid}`,
  });
