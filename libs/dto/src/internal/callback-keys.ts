import { z } from 'zod';
import { claimKey } from './asset-claims.js';

/** The public keys of callback signatures: Ed25519 keys only, so that token-gating cannot publish a key of access tokens. */
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

/** GET /internal/jwks of token-gating: `keys` of callbacks, and those of asset claims. Earlier versions have none of these. */
export const tokenGatingKeySet = callbackKeySet.extend({ claimKeys: z.array(claimKey).max(16).default([]) });
export type TokenGatingKeySet = z.output<typeof tokenGatingKeySet>;
