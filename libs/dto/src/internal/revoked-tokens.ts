import { z } from 'zod';

/** What ended before its time. */
export const revokedToken = z.object({
  /** `jti` of an access or AE token, nonce of an Ethereum credential, or what `allCredentials` names. */
  id: z.string(),
  /** Unix milliseconds; from then on what it stands for is dead anyway. */
  expiresAtMs: z.int(),
});
export type RevokedToken = Readonly<z.infer<typeof revokedToken>>;

/**
 * Stands for every Ethereum credential that a user signed for a client application and that ends no later than the entry
 * does: nobody keeps a list of them. Ids of tokens have no spaces in them.
 */
export const toAllCredentialsId = (userId: string, clientId: string): string =>
  `credentials ${userId} ${clientId}`;

/**
 * GET /internal/credentials/revoked-tokens?after=<id>: all that are revoked and have not expired, page by page, for whoever
 * begins to follow the feed. What is revoked meanwhile may be missing here: the feed tells of it.
 */
export const revokedTokensQuery = z.object({ after: z.string().max(512).default('') });
export type RevokedTokensQuery = Readonly<z.infer<typeof revokedTokensQuery>>;

export const revokedTokensPage = z.object({
  tokens: z.array(revokedToken),
  /** Ask with this `after` for the next page; null on the last. */
  next: z.string().nullable(),
});
export type RevokedTokensPage = Readonly<z.infer<typeof revokedTokensPage>>;
