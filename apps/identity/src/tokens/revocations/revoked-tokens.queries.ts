import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** A token or credential to revoke before it expires. */
export interface TokenToRevoke {
  /** `jti` of an access or AE token, nonce of an Ethereum credential, or an id from toAllCredentialsId. */
  readonly id: string;
  readonly expiresAt: Date;
}

/**
 * Rows that one statement deletes: more than the usual number of insertions per revocation, so that expired rows do not
 * accumulate.
 */
const SWEEP_BATCH_SIZE = 100;
/** The margin covers gateways whose clocks are behind. */
const IS_ALIVE = "expires_at > now() - interval '1 minute'";

const INSERT = `
  INSERT INTO identity.revoked_tokens (id, expires_at)
  SELECT id, max(expires_at) FROM unnest($1::text[], $2::timestamptz[]) AS revoked (id, expires_at)
  WHERE ${IS_ALIVE} GROUP BY id ORDER BY id
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
    WHERE revoked_tokens.expires_at < excluded.expires_at
  RETURNING id`;

const SWEEP = `
  DELETE FROM identity.revoked_tokens WHERE id IN (
    SELECT id FROM identity.revoked_tokens WHERE NOT (${IS_ALIVE})
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )`;

const SELECT = `
  SELECT id, ceil(extract(epoch FROM expires_at) * 1000)::bigint AS "expiresAtMs" FROM identity.revoked_tokens`;

const LIST = `${SELECT} WHERE id > $1 AND ${IS_ALIVE} ORDER BY id LIMIT $2`;

const FIND = `${SELECT} WHERE id = ANY ($1)`;

const IS_REVOKED = 'SELECT 1 FROM identity.revoked_tokens WHERE id = $1';

const inserted = z.array(z.object({ id: z.string() }));

const listed = z.array(z.object({ id: z.string(), expiresAtMs: z.bigint().transform(Number).pipe(z.int()) }));

/** Skips expired tokens, and deletes a batch of them. @returns the ids of the tokens that were not revoked before */
export async function insertRevokedTokens(
  manager: EntityManager,
  tokens: readonly TokenToRevoke[],
): Promise<string[]> {
  const columns = [tokens.map(({ id }) => id), tokens.map(({ expiresAt }) => expiresAt)];
  const revoked = inserted.parse(await queryRows(manager, INSERT, columns));
  await queryRows(manager, SWEEP, [SWEEP_BATCH_SIZE]);
  return revoked.map(({ id }) => id);
}

export async function isTokenRevoked(db: Queryable, id: string): Promise<boolean> {
  return (await queryRows(db, IS_REVOKED, [id])).length > 0;
}

/** Finds out which of some tokens are revoked. */
export async function findRevokedTokens(db: Queryable, ids: readonly string[]) {
  return listed.parse(await queryRows(db, FIND, [ids]));
}

/** Tokens that have not expired, sorted by id. */
export async function listRevokedTokens(db: Queryable, after: string, limit: number) {
  return listed.parse(await queryRows(db, LIST, [after, limit]));
}
