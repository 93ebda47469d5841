import { z } from 'zod';

const keyId = z.string().min(1).max(64);
const secretKey = z.object({
  kid: keyId,
  /** 32 bytes as base64url. */
  k: z.string().regex(/^[\w-]{43}$/),
});

/**
 * GET /internal/token-keys of identity, for the gateway only: the keys that verify tokens. A `kid` is in one list only,
 * which determines purpose and algorithm (contract.md section 4).
 */
export const tokenKeys = z.object({
  /** Public keys of access tokens: ES256. */
  access: z
    .array(
      z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        alg: z.literal('ES256'),
        use: z.literal('sig'),
        kid: keyId,
        x: z.string(),
        y: z.string(),
      }),
    )
    .max(16),
  /** Keys of AE tokens: A256GCM. */
  ae: z.array(secretKey).max(16),
  /** Keys of sign-in nonces: HMAC-SHA-256. */
  nonce: z.array(secretKey).max(16),
});
export type TokenKeys = Readonly<z.output<typeof tokenKeys>>;
