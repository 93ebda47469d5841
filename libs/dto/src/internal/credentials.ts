import { z } from 'zod';
import { clientPlan } from './client-plans.js';
import { revokedToken } from './revoked-tokens.js';

/** POST /internal/credentials of identity: looks up an API key, which is in the body because URLs are logged. */
export const credentialRequest = z.object({ apiKey: z.string().max(128) });
export type CredentialRequest = z.infer<typeof credentialRequest>;

const clientCredential = clientPlan.extend({
  keyId: z.string(),
  /** The time at which a rotated key expires; ISO 8601. */
  expiresAt: z.iso.datetime().nullable(),
});
export type ClientCredential = Readonly<z.infer<typeof clientCredential>>;

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
