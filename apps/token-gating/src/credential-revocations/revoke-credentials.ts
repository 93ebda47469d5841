import { type Queryable, queryRows } from '@app/database';

/** The credentials of a user that end. `before` is ISO 8601: a repeated event must not end what was issued after it. */
export type RevokedCredentials =
  | { readonly id: string }
  /** Credentials about an account (CAIP-10). */
  | { readonly accountId: string; readonly before: string }
  /** Credentials that a client application asked for, with a token of a consent that ended then. */
  | { readonly clientId: string; readonly before: string; readonly endedAt: string }
  /** All credentials that were issued until then. */
  | { readonly before: string };

type RevocationKey = 'id' | 'accountId' | 'clientId' | 'before' | 'endedAt';

/**
 * Revokes the credentials that a condition selects. Their rows are locked in the order of their ids, so that two revocations do not
 * wait for each other.
 */
const createRevocationSql = (condition: string, limit = '') => `
  WITH ended AS (
    SELECT id FROM token_gating.verifiable_credentials WHERE revoked_at IS NULL AND ${condition} ORDER BY id ${limit} FOR UPDATE
  ), revoked AS (
    UPDATE token_gating.verifiable_credentials AS credentials SET revoked_at = clock_timestamp()
    FROM ended WHERE credentials.id = ended.id
    RETURNING credentials.list_id, credentials.entry, credentials.revoked_at
  )
  UPDATE token_gating.credential_status_entries AS entries SET revoked_at = revoked.revoked_at
  FROM revoked WHERE entries.list_id = revoked.list_id AND entries.entry = revoked.entry RETURNING 1`;

/** A token that was issued so long after the end is one of a new consent: identity signs by another clock than that of its database. */
const MAX_TOKEN_CLOCK_SKEW_SECONDS = 5;

/** SQL that is true for a token that may be of a consent that ended at this time. A signed message has no time of issue. */
export const isTokenOfEndedSql = (tokenIssuedAt: string, endedAt: string): string =>
  `(${tokenIssuedAt} IS NULL OR ${tokenIssuedAt} < ${endedAt} + make_interval(secs => ${MAX_TOKEN_CLOCK_SKEW_SECONDS}))`;

const REVOKE_OF_USER = createRevocationSql(`
  user_id = $1 AND ($2::text IS NULL OR id = $2)
    AND ($3::text IS NULL OR account_key = $3)
    AND ($4::text IS NULL OR wallet_type <> 'contract' OR wallet_chain_id = $4)
    AND ($5::text IS NULL OR client_id = $5)
    AND ($6::timestamptz IS NULL OR created_at <= $6)
    AND ($7::timestamptz IS NULL OR ${isTokenOfEndedSql('token_issued_at', '$7')})`);

/**
 * Revokes credentials of a user in the database, where verifications see it at once; status lists follow within five minutes.
 * Idempotent.
 */
export async function revokeCredentials(
  db: Queryable,
  userId: string,
  which: RevokedCredentials,
): Promise<void> {
  const { id, accountId, clientId, before, endedAt }: Partial<Record<RevocationKey, string>> = which;
  const account = accountId === undefined ? undefined : parseAccountId(accountId);
  const parameters = [id, account?.key, account?.chainId, clientId, before, endedAt].map(
    (value) => value ?? null,
  );
  await queryRows(db, REVOKE_OF_USER, [userId, ...parameters]);
}

const REVOKE_OF_MEMBER = createRevocationSql('community_id = $1 AND user_id = $2');

/** Revokes the credentials of a user about a community that the user has left. Call after the deletion, in its transaction. */
export async function revokeMemberCredentials(
  db: Queryable,
  communityId: string,
  userId: string,
): Promise<void> {
  await queryRows(db, REVOKE_OF_MEMBER, [communityId, userId]);
}

const REVOKE_OF_ROLES = createRevocationSql(`
  community_id = $1 AND (user_id, role_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))`);

/** A role that a member no longer has. */
interface LostRole {
  readonly userId: string;
  readonly roleId: string;
}

/** Revokes credentials about roles that members have lost. Call after the deletion of the assignments, in its transaction. */
export async function revokeRoleCredentials(
  db: Queryable,
  communityId: string,
  lost: readonly LostRole[],
): Promise<void> {
  if (lost.length === 0) return;
  const columns = [lost.map(({ userId }) => userId), lost.map(({ roleId }) => roleId)];
  await queryRows(db, REVOKE_OF_ROLES, [communityId, ...columns]);
}

const REVOKE_OF_COMMUNITY = createRevocationSql('community_id = $1', 'LIMIT $2');

/** @returns how many credentials about a community were revoked, at most `limit` */
export async function revokeCommunityCredentials(
  db: Queryable,
  communityId: string,
  limit: number,
): Promise<number> {
  return (await queryRows(db, REVOKE_OF_COMMUNITY, [communityId, limit])).length;
}

const REVOKE_OF_SUSPENDED = createRevocationSql(
  `community_id IN (SELECT id FROM token_gating.communities WHERE suspended_at IS NOT NULL)`,
  'LIMIT $1',
);

/** @returns how many credentials about suspended communities were revoked, at most `limit` */
export async function revokeSuspendedCredentials(db: Queryable, limit: number): Promise<number> {
  return (await queryRows(db, REVOKE_OF_SUSPENDED, [limit])).length;
}

const REVOKE_OF_CLIENTS = createRevocationSql('client_id = ANY($1::text[])', 'LIMIT $2');

/** @returns how many credentials that client applications asked for were revoked, at most `limit` */
export async function revokeClientCredentials(
  db: Queryable,
  clientIds: readonly string[],
  limit: number,
): Promise<number> {
  return (await queryRows(db, REVOKE_OF_CLIENTS, [clientIds, limit])).length;
}

/** An account as its credentials store it: the address in lower case, except of Solana. */
function parseAccountId(accountId: string): { key: string; chainId: string } {
  const [namespace, chainId = '', address = ''] = accountId.split(':');
  return { key: namespace === 'solana' ? address : address.toLowerCase(), chainId };
}
