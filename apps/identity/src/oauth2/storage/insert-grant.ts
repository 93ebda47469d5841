import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/** A decision counts for one year. */
export const GRANT_LIFETIME_SECONDS = 365 * 24 * 3_600;

export interface ConsentKey {
  readonly userId: string;
  readonly clientId: string;
}

export interface ConsentDecision {
  readonly granted: readonly string[];
  /** Requested scopes that the user refused. */
  readonly refused: readonly string[];
}

/**
 * A copy has the latest decision time and the earliest expiry of its sources. Uses `clock_timestamp()`, because `now()`
 * stands still during a transaction.
 */
const INSERT = `
  INSERT INTO identity.oauth_models
    (kind, id, grant_id, client_id, account_id, payload, created_at, decided_at, expires_at)
  SELECT 'Grant', $1, $1, $2, $3, $4::jsonb || jsonb_build_object('exp', floor(extract(epoch FROM until))::int),
    clock_timestamp(), decided, until
  FROM (
    SELECT max(coalesce(decided_at, created_at)) AS decided,
      coalesce(min(expires_at), clock_timestamp() + make_interval(secs => $5)) AS until
    FROM identity.oauth_models WHERE kind = 'Grant' AND id = ANY($6::text[])
  ) AS copied`;

/**
 * Stores a grant in the format of oidc-provider.
 * @param copied the ids of the grants to copy; empty for a new decision
 * @returns the grant's id
 */
export async function insertGrant(
  manager: EntityManager,
  { userId, clientId }: ConsentKey,
  { granted, refused }: ConsentDecision,
  copied: readonly string[] = [],
): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  const payload = {
    kind: 'Grant',
    iat: Math.floor(Date.now() / 1_000),
    accountId: userId,
    clientId,
    ...(granted.length > 0 && { openid: { scope: granted.join(' ') } }),
    ...(refused.length > 0 && { rejected: { openid: { scope: refused.join(' ') } } }),
  };
  const row = [id, clientId, userId, JSON.stringify(payload), GRANT_LIFETIME_SECONDS, copied];
  await manager.query(INSERT, row);
  return id;
}
