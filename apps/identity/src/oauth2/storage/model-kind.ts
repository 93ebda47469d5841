import { createHash } from 'node:crypto';

/** The models of oidc-provider that this service stores. */
export type ModelKind =
  'AccessToken' | 'AuthorizationCode' | 'Grant' | 'Interaction' | 'RefreshToken' | 'Session';

/**
 * Their ids prove nothing: an access token is a JWT, and its id stands in it; a grant's id names it to its own user.
 * The others' ids are what their holders show, and only hashes of them are kept.
 */
const PUBLIC_IDS: ReadonlySet<ModelKind> = new Set(['AccessToken', 'Grant']);

/** What a model is stored under. A fast hash is enough: the ids are random. */
export function toStoredId(kind: ModelKind, id: string): string {
  return PUBLIC_IDS.has(kind) ? id : createHash('sha256').update(`${kind}:${id}`).digest('base64url');
}

/** How long a refresh token that was exchanged may be shown once more: by whoever did not hear the answer, or by a second tab. */
const REFRESH_GRACE_SECONDS = 10;

export const getGraceSeconds = (kind: ModelKind): number =>
  kind === 'RefreshToken' ? REFRESH_GRACE_SECONDS : 0;
