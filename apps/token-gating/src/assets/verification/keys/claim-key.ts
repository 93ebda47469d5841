import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { CLAIM_KEY_ID_PREFIX, type PublicClaimKey } from '@app/dto';
import type { NewKey, RotatingKey, StoredKey } from '@app/key-ring';

export const CLAIM_KEY_USES = ['jwt', 'ae'] as const;

/** The format of the tokens that a key makes: `jwt` signs with ES256, `ae` encrypts with A256GCM. */
export type ClaimFormat = (typeof CLAIM_KEY_USES)[number];

export type ClaimKey = RotatingKey &
  (
    | { readonly use: 'jwt'; readonly privateKey: KeyObject; readonly publicJwk: PublicClaimKey }
    | { readonly use: 'ae'; readonly secret: Buffer }
  );

const ID_BYTES = 32;
const SECRET_BYTES = 32;

/** Stored are a private key as PKCS #8, or a secret of 32 bytes. */
export function generateClaimKey(use: ClaimFormat): NewKey {
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
export function toClaimKey({ bytes, use, ...key }: StoredKey<ClaimFormat>): ClaimKey | undefined {
  if (!bytes) return undefined;
  if (use === 'ae') return { ...key, use, secret: bytes };
  const privateKey = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  // Derived, so that write access to the database alone cannot add a trusted key.
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicJwk = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: key.kid, x, y } as const;
  return { ...key, use, privateKey, publicJwk };
}

const toKeyId = (bytes: Buffer): string => CLAIM_KEY_ID_PREFIX + bytes.toString('base64url');
