import { z } from 'zod';

/** Apart from the ids of all other keys, so that no verifier takes a claim's key for one of access tokens. */
export const CLAIM_KEY_ID_PREFIX = 'asset-claim-';

/** A public key of asset claims. */
const claimKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
  kid: z.string().regex(new RegExp(`^${CLAIM_KEY_ID_PREFIX}[\\w-]{43}$`)),
  x: z.string().regex(/^[\w-]{43}$/),
  y: z.string().regex(/^[\w-]{43}$/),
});
export type PublicClaimKey = z.output<typeof claimKey>;

const userId = z.string().min(1).max(128);

/** POST /internal/asset-claims/list of token-gating: the valid asset claims of a user, the newest first. */
export const assetClaimsRequest = z.strictObject({ userId });
export type AssetClaimsRequest = z.output<typeof assetClaimsRequest>;

export const assetClaimsResponse = z.object({
  claims: z.array(
    z.object({
      id: z.string(),
      account: z.string(),
      assets: z.array(z.string()),
      createdTime: z.string(),
      expiresTime: z.string(),
    }),
  ),
});
export type AssetClaimsResponse = z.output<typeof assetClaimsResponse>;

/** POST /internal/asset-claims/revoke of token-gating: ends one claim of a user. */
export const revokeAssetClaimRequest = z.strictObject({ userId, id: z.string() });
export type RevokeAssetClaimRequest = z.output<typeof revokeAssetClaimRequest>;

export const revokeAssetClaimResponse = z.object({ isRevoked: z.boolean() });
export type RevokeAssetClaimResponse = z.output<typeof revokeAssetClaimResponse>;

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
