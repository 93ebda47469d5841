import { z } from 'zod';

/**
 * GET /internal/jwks of token-gating: the public keys of callback signatures. The schema accepts Ed25519 keys only, so that
 * token-gating cannot publish a key of access tokens.
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
