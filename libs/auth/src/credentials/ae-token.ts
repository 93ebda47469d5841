import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { decodeBase64url } from '@app/common';

/** The claims of an AE token (contract.md section 4). */
const aeClaims = z.object({
  iss: z.string(),
  /** The user id. */
  sub: z.string(),
  aud: z.string(),
  /** Unix seconds. */
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
  client_id: z.string(),
  /** Space-separated. */
  scope: z.string(),
  /** The wallet that signed in, as a CAIP-10 account id. */
  wallet: z.string(),
});
export type AeClaims = Readonly<z.infer<typeof aeClaims>>;

export interface AeKey {
  readonly kid: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

const TYPE = 'ae+jwt';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_TOKEN_LENGTH = 8_192;
const CIPHER = 'aes-256-gcm';

const protectedHeader = z.strictObject({
  alg: z.literal('dir'),
  enc: z.literal('A256GCM'),
  typ: z.literal(TYPE),
  kid: z.string().max(64),
});

const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Creates a compact JWE, `dir` with A256GCM (RFC 7516, RFC 7518 sections 4.5 and 5.3). */
export function encryptAeToken(claims: AeClaims, { kid, key }: AeKey): string {
  const header = encodeJson({ alg: 'dir', enc: 'A256GCM', typ: TYPE, kid });
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(header, 'ascii'));
  const text = Buffer.concat([cipher.update(JSON.stringify(claims)), cipher.final()]);
  const parts = [iv, text, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'));
  return [header, '', ...parts].join('.');
}

/**
 * Decrypts a token; undefined for an invalid one, also for non-canonical base64url. Does not check expiry, audience or
 * revocation. Synchronous, because Web Crypto needs about ten times the CPU time.
 */
export function decryptAeToken(
  token: string,
  findKey: (kid: string) => Buffer | undefined,
): AeClaims | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const [header = '', wrappedKey, ivText = '', cipherText = '', tagText = '', ...more] = token.split('.');
  if (wrappedKey !== '' || more.length > 0) return undefined;
  const kid = parseKid(header);
  const key = kid === undefined ? undefined : findKey(kid);
  const iv = decodeBase64url(ivText);
  const text = decodeBase64url(cipherText);
  const tag = decodeBase64url(tagText);
  if (!key || !text || iv?.length !== IV_BYTES || tag?.length !== TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(header, 'ascii')).setAuthTag(tag);
    const claims = Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    return aeClaims.parse(JSON.parse(claims));
  } catch {
    return undefined;
  }
}

function parseKid(header: string): string | undefined {
  const bytes = decodeBase64url(header);
  if (!bytes) return undefined;
  try {
    return protectedHeader.parse(JSON.parse(bytes.toString('utf8'))).kid;
  } catch {
    return undefined;
  }
}
