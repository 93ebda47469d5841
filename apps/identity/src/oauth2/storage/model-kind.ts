import { createHash } from 'node:crypto';

/** The models of oidc-provider that this service stores. */
export type ModelKind =
  'AccessToken' | 'AuthorizationCode' | 'Grant' | 'Interaction' | 'RefreshToken' | 'Session';

/**
 * The ids of these models are no credentials: an access token is a signed JWT, and a grant's id only identifies it. The ids of
 * the other models are credentials, so only their hashes are stored.
 */
const PUBLIC_IDS: ReadonlySet<ModelKind> = new Set(['AccessToken', 'Grant']);

/** The key of a stored model. A fast hash suffices for random ids. */
export function toStoredId(kind: ModelKind, id: string): string {
  return PUBLIC_IDS.has(kind) ? id : createHash('sha256').update(`${kind}:${id}`).digest('base64url');
}

/** A refresh token may be reused for this long after its exchange: by a retry after a lost response, or by a second tab. */
const REFRESH_GRACE_SECONDS = 10;

export const getGraceSeconds = (kind: ModelKind): number =>
  kind === 'RefreshToken' ? REFRESH_GRACE_SECONDS : 0;
