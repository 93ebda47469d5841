import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import { toBase62 } from '@app/common';
import type { NewKey } from '@app/key-ring';
import type { JWK } from 'jose';
import type { TokenKeyUse } from './token-key-use.js';

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
