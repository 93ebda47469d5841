import { z } from 'zod';
import { clientPlan } from './client-plans.js';
import { revokedToken } from './revoked-tokens.js';

/** POST /internal/credentials: what identity knows of an API key. The key travels in the body, never in a URL. */
export const credentialRequest = z.strictObject({ apiKey: z.string().max(128) });
export type CredentialRequest = z.infer<typeof credentialRequest>;

export const clientCredential = clientPlan.extend({
  keyId: z.string(),
  /** When the key ends by itself, after a rotation; ISO 8601. */
  expiresAt: z.iso.datetime().nullable(),
});
export type ClientCredential = Readonly<z.infer<typeof clientCredential>>;

/** `asOf` is the change feed's last sequence number when the record was read: an older answer than the feed is stale. */
export const credentialResponse = z.object({
  asOf: z.int().nonnegative(),
  credential: clientCredential.nullable(),
});
export type CredentialResponse = Readonly<z.infer<typeof credentialResponse>>;

/**
 * GET /internal/credentials/changes?after=<seq>: client applications whose credentials are not what they were, and tokens
 * that were revoked. Both in the order in which it happened, as far as one answer goes.
 */
export const credentialChangesQuery = z.object({ after: z.coerce.number().pipe(z.int().nonnegative()) });

export const credentialChanges = z.object({
  /** Ask with this `after` next time. */
  last: z.int().nonnegative(),
  /** There is more already: ask at once. */
  hasMore: z.boolean(),
  /** Changes were forgotten since `after`: everything that is cached is doubtful. */
  truncated: z.boolean(),
  clientIds: z.array(z.string()),
  revoked: z.array(revokedToken),
});
export type CredentialChanges = Readonly<z.infer<typeof credentialChanges>>;
