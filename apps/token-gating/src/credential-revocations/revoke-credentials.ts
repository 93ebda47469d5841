import { type Queryable, queryRows } from '@app/database';

/** Which credentials of a user end: one, those of an account (CAIP-10) that are older than a time, or all. */
export type RevokedCredentials =
  | { readonly id: string }
  /** `before`: ISO 8601; a repeated event must not end what was issued after it. */
  | { readonly accountId: string; readonly before: string }
  | 'all';

/**
 * Revokes credentials of a user in the database, where verifications see it at once; status lists follow within five minutes.
 * Idempotent.
 */
export async function revokeCredentials(
  db: Queryable,
  userId: string,
  which: RevokedCredentials,
): Promise<void> {
  const id = typeof which === 'object' && 'id' in which ? which.id : null;
  const unlinked = typeof which === 'object' && 'accountId' in which ? which : undefined;
  const account = unlinked && parseAccountId(unlinked.accountId);
  const sql = `
    WITH revoked AS (
      UPDATE token_gating.verifiable_credentials SET revoked_at = clock_timestamp()
      WHERE user_id = $1 AND revoked_at IS NULL AND ($2::text IS NULL OR id = $2)
        AND ($3::text IS NULL OR account_key = $3)
        AND ($4::text IS NULL OR wallet_type <> 'contract' OR wallet_chain_id = $4)
        AND ($5::timestamptz IS NULL OR created_at <= $5)
      RETURNING list_id, entry, revoked_at
    )
    UPDATE token_gating.credential_status_entries AS entries SET revoked_at = revoked.revoked_at
    FROM revoked WHERE entries.list_id = revoked.list_id AND entries.entry = revoked.entry`;
  const { key = null, chainId = null } = account ?? {};
  await queryRows(db, sql, [userId, id, key, chainId, unlinked?.before ?? null]);
}

/** An account as its credentials store it: the address in lower case, except of Solana. */
function parseAccountId(accountId: string): { key: string; chainId: string } {
  const [namespace, chainId = '', address = ''] = accountId.split(':');
  return { key: namespace === 'solana' ? address : address.toLowerCase(), chainId };
}
