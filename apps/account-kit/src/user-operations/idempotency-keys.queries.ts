import { createHash } from 'node:crypto';
import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';

/** An idempotency key belongs to an account within a client application (contract.md section 10). */
export interface IdempotencyScope {
  readonly clientId: string;
  readonly accountId: string;
  readonly key: string;
}

const boundKeyRow = z.object({ operationId: z.string(), requestHash: z.instanceof(Buffer) });

/** The operation that a key is bound to, and the hash of its request. */
export type BoundKey = Readonly<z.infer<typeof boundKeyRow>>;

const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

export async function findBoundKey(
  db: Queryable,
  { clientId, accountId, key }: IdempotencyScope,
): Promise<BoundKey | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT operation_id AS "operationId", request_hash AS "requestHash" FROM account_kit.idempotency_keys
     WHERE client_id = $1 AND account_id = $2 AND key_hash = $3`,
    [clientId, accountId, hashKey(key)],
  );
  return row === undefined ? undefined : boundKeyRow.parse(row);
}

/** Waits for a transaction that binds the same key. @returns false if the key is bound already */
export async function bindKey(
  db: Queryable,
  { clientId, accountId, key }: IdempotencyScope,
  { operationId, requestHash }: BoundKey,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    `INSERT INTO account_kit.idempotency_keys (client_id, account_id, key_hash, request_hash, operation_id)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING operation_id`,
    [clientId, accountId, hashKey(key), requestHash, operationId],
  );
  return rows.length === 1;
}

/** Frees the keys of an operation that was never signed. */
export async function releaseKeys(db: Queryable, operationId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM account_kit.idempotency_keys WHERE operation_id = $1', [operationId]);
}

/** Deletes keys whose operation or Solana transaction ended a day ago (contract.md section 10). @returns how many were deleted */
export async function deleteEndedKeys(db: Queryable, limit: number): Promise<number> {
  const rows = await queryRows(
    db,
    `DELETE FROM account_kit.idempotency_keys WHERE ctid = ANY(ARRAY(
       SELECT k.ctid FROM account_kit.idempotency_keys AS k
       LEFT JOIN account_kit.user_operations AS o ON o.id = k.operation_id
       LEFT JOIN account_kit.solana_transactions AS t ON t.id = k.operation_id
       WHERE k.created_at < now() - interval '24 hours'
         AND coalesce(o.state, t.state) IN ('final', 'reverted', 'rejected', 'expired')
         AND coalesce(o.changed_at, t.changed_at) < now() - interval '24 hours'
       ORDER BY k.created_at LIMIT $1)) RETURNING operation_id`,
    [limit],
  );
  return rows.length;
}
