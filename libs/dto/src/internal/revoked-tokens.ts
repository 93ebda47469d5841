import { z } from 'zod';

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
