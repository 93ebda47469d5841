import { z } from 'zod';

/**
 * GET /internal/jwks of token-gating: the public keys that callbacks are signed with, and nothing else: no answer of
 * token-gating makes a key that tokens are checked with.
 */
export const callbackKeySet = z.object({
  keys: z
    .array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
        kid: z.string().regex(/^[\w-]{43}$/),
        x: z.string().regex(/^[\w-]{43}$/),
      }),
    )
    .max(16),
});
export type CallbackKeySet = z.output<typeof callbackKeySet>;
