import { createHash } from 'node:crypto';

/** The models of oidc-provider that this service stores. */
export type ModelKind =
  | 'AccessToken'
  | 'AuthorizationCode'
  | 'Grant'
  | 'Interaction'
  | 'RefreshToken'
  | 'Session';

/**
 * The ids of these models are no credentials: an access token is a signed JWT, and a grant's id only identifies it. The ids of
 * the other models are credentials, so only their hashes are stored.
 */
const PUBLIC_IDS: ReadonlySet<ModelKind> = new Set(['AccessToken', 'Grant']);

/** The id under which a model is stored. A fast hash suffices for random ids. */
export function toStoredId(kind: ModelKind, id: string): string {
  return PUBLIC_IDS.has(kind) ? id : createHash('sha256').update(`${kind}:${id}`).digest('base64url');
}

/** The key of a stored model. */
export interface ModelKey {
  readonly kind: ModelKind;
  /** The id that `toStoredId` made. */
  readonly id: string;
  /** Refresh tokens only: the id of the token that replaces it. */
  readonly successorId?: string;
}
