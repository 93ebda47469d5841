import { createHash } from 'node:crypto';
import { isWalletLogin, loginMethods } from '@app/auth';

/** The models of oidc-provider that this service stores. */
export type ModelKind =
  | 'AccessToken'
  | 'AuthorizationCode'
  | 'Grant'
  | 'Interaction'
  | 'RefreshToken'
  | 'Session';

/**
 * Codes and refresh tokens of logins with a passkey have a kind of their own, `Passkey…`. An identity of the release before passkeys does not
 * find them: it would ignore `amr` and issue tokens that count as the wallet's.
 */
export type StoredKind = ModelKind | 'PasskeyAuthorizationCode' | 'PasskeyRefreshToken';

/** @param amr how the user signed in, from the payload of a code or refresh token */
export function toStoredKind(kind: ModelKind, amr: unknown): StoredKind {
  if (kind !== 'AuthorizationCode' && kind !== 'RefreshToken') return kind;
  return isWalletLogin(loginMethods.optional().parse(amr)) ? kind : `Passkey${kind}`;
}

/** SQL that is true for rows of a kind, however the user signed in. */
export const isStoredKindSql = (column: string, kind: string): string =>
  `${column} IN (${kind}, 'Passkey' || ${kind})`;

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
