import { z } from 'zod';
import { clientPlan } from './client-plans.js';

/** POST /internal/credentials: what identity knows of an API key. The key travels in the body, never in a URL. */
export const credentialQuestion = z.strictObject({ apiKey: z.string().max(128) });
export type CredentialQuestion = z.infer<typeof credentialQuestion>;

export const clientCredential = clientPlan.extend({
  keyId: z.string(),
  /** When the key ends by itself, after a rotation; ISO 8601. */
  expiresAt: z.iso.datetime().nullable(),
});
export type ClientCredential = Readonly<z.infer<typeof clientCredential>>;

/** `asOf` is the change feed's last sequence number when the record was read: an older answer than the feed is stale. */
export const credentialAnswer = z.object({
  asOf: z.int().nonnegative(),
  credential: clientCredential.nullable(),
});
export type CredentialAnswer = Readonly<z.infer<typeof credentialAnswer>>;

/**
 * GET /internal/credentials/changes?after=<seq>: client applications whose credentials are not what they were, and tokens
 * that were revoked.
 */
export const credentialChangesQuery = z.object({ after: z.coerce.number().pipe(z.int().nonnegative()) });

export const credentialChanges = z.object({
  /** Ask with this `after` next time. */
  last: z.int().nonnegative(),
  /** Changes were forgotten since `after`: everything that is cached is doubtful. */
  truncated: z.boolean(),
  clientIds: z.array(z.string()),
  /** `jti` of access and AE tokens, nonces of Ethereum credentials. */
  tokenIds: z.array(z.string()),
});
export type CredentialChanges = Readonly<z.infer<typeof credentialChanges>>;

/** GET /internal/credentials/revoked-tokens: all that are revoked and have not expired, for whoever begins to follow the feed. */
export const revokedTokens = z.object({
  /** The change feed's last sequence number when the list was read. */
  asOf: z.int().nonnegative(),
  /** `expiresAt`: Unix seconds; after it the token is dead anyway. */
  tokens: z.array(z.object({ id: z.string(), expiresAt: z.int() })),
});
export type RevokedTokens = Readonly<z.infer<typeof revokedTokens>>;
