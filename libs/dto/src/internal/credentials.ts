import { z } from 'zod';
import { clientPlan } from '../plans.js';

/** A credential that was revoked before it expired. */
export const revokedToken = z.object({
  /** `jti` of an access or AE token, nonce of an Ethereum credential, or `toAllCredentialsId`. */
  id: z.string(),
  /** Unix milliseconds; afterwards the credential has expired, and the entry is not needed. */
  expiresAtMs: z.int(),
});
export type RevokedToken = Readonly<z.infer<typeof revokedToken>>;

/**
 * Revokes all Ethereum credentials of a user and client application that expire before the entry does, because they are
 * not stored one by one. Token ids contain no spaces, so that the two kinds never collide.
 */
export const toAllCredentialsId = (userId: string, clientId: string): string =>
  `credentials ${userId} ${clientId}`;

/**
 * GET /internal/credentials/revoked-tokens?after=<id> of identity: all revoked tokens that have not expired, page by page,
 * for a gateway that starts. Tokens that are revoked meanwhile may be missing; the change feed has them.
 */
export const revokedTokensQuery = z.object({ after: z.string().max(512).default('') });
export type RevokedTokensQuery = Readonly<z.infer<typeof revokedTokensQuery>>;

export const revokedTokensPage = z.object({
  tokens: z.array(revokedToken),
  /** The next page's `after`; null on the last page. */
  next: z.string().nullable(),
});
export type RevokedTokensPage = Readonly<z.infer<typeof revokedTokensPage>>;

/** POST /internal/credentials/revoked-tokens of identity: those of the ids that are revoked, for a gateway without all of them. */
export const findRevokedTokensRequest = z.object({ ids: z.array(z.string().max(512)).min(1).max(100) });
export type FindRevokedTokensRequest = Readonly<z.infer<typeof findRevokedTokensRequest>>;

export const findRevokedTokensResponse = z.object({ tokens: z.array(revokedToken) });
export type FindRevokedTokensResponse = Readonly<z.infer<typeof findRevokedTokensResponse>>;

/** POST /internal/credentials of identity: looks up an API key or a publishable id, which is in the body because URLs are logged. */
export const credentialRequest = z.object({ apiKey: z.string().max(128) });
export type CredentialRequest = z.infer<typeof credentialRequest>;

const clientCredential = clientPlan.extend({
  keyId: z.string(),
  /** The planned end of the key, or its end after a rotation; ISO 8601. */
  expiresAt: z.iso.datetime().nullable(),
  /** The origins that may use a publishable id; absent for an API key. */
  origins: z.array(z.string()).optional(),
});
export type ClientCredential = Readonly<z.infer<typeof clientCredential>>;

export const MAX_REPORTED_KEYS = 1_000;

/** POST /internal/credentials/used-keys of identity: API keys that a gateway saw in an hour. */
export const usedKeysRequest = z.object({
  keyIds: z.array(z.string().min(1).max(64)).min(1).max(MAX_REPORTED_KEYS),
  /** The beginning of the hour. */
  hour: z.iso.datetime(),
});
export type UsedKeysRequest = Readonly<z.infer<typeof usedKeysRequest>>;

export const usedKeysResponse = z.object({});

/** `asOf` is the change feed's last sequence number at the time of reading: a response older than the feed is stale. */
export const credentialResponse = z.object({
  asOf: z.int().nonnegative(),
  credential: clientCredential.nullable(),
});
export type CredentialResponse = Readonly<z.infer<typeof credentialResponse>>;

/**
 * GET /internal/credentials/changes?after=<seq> of identity: client applications with changed credentials, and revoked
 * tokens, each in order within one response.
 */
export const credentialChangesQuery = z.object({ after: z.coerce.number().pipe(z.int().nonnegative()) });

export const credentialChanges = z.object({
  /** The next request's `after`. */
  last: z.int().nonnegative(),
  /** Whether more changes are available now. */
  hasMore: z.boolean(),
  /** Changes since `after` were deleted: clear the whole cache. */
  truncated: z.boolean(),
  clientIds: z.array(z.string()),
  revoked: z.array(revokedToken),
});
export type CredentialChanges = Readonly<z.infer<typeof credentialChanges>>;

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

/**
 * POST /internal/ethereum-credentials of identity, which has RPC nodes: verifies the signature of a contract account
 * (ERC-1271). The gateway checks everything else before. 503 when no node is available.
 */
export const ethereumCredentialRequest = z.object({
  /** The signed message (EIP-4361), which contains account and chain. */
  message: z.string().min(1).max(8_192),
  /** `0x` and an even number of hex digits, also none: a contract may have approved the message on its chain. */
  signature: z
    .string()
    .max(8_192)
    .regex(/^0x(?:[0-9a-f]{2})*$/i),
});
export type EthereumCredentialRequest = z.infer<typeof ethereumCredentialRequest>;

export const ethereumCredentialResponse = z.object({ isValid: z.boolean() });
export type EthereumCredentialResponse = Readonly<z.infer<typeof ethereumCredentialResponse>>;
