import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';
import { operationState } from './user-operations.queries.js';

/** A place in the list of an account, which is ordered by time and id. */
export interface OperationPosition {
  /** With microseconds. */
  readonly acceptedAt: string;
  readonly id: string;
}

const listedRow = z.object({
  id: z.string(),
  hash: z.string(),
  chainId: z.coerce.number().int(),
  kind: z.enum(['call', 'mint', 'cancellation']),
  state: operationState,
  nonceKey: z.string(),
  success: z.boolean().nullable(),
  reason: z.string().nullable(),
  transactionHash: z.string().nullable(),
  acceptedAt: z.string(),
  changedAt: z.date(),
});
export type ListedOperationRow = z.output<typeof listedRow>;

/** Signed operations of an account, newest first. */
export async function listOperations(
  db: Queryable,
  accountId: string,
  { after, limit }: { readonly after: OperationPosition | undefined; readonly limit: number },
): Promise<ListedOperationRow[]> {
  const rows = await queryRows(
    db,
    `SELECT id, hash, chain_id AS "chainId", kind, state, nonce_key::text AS "nonceKey", success, reason,
       transaction_hash AS "transactionHash", changed_at AS "changedAt",
       to_char(accepted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "acceptedAt"
     FROM account_kit.user_operations
     WHERE account_id = $1 AND hash IS NOT NULL AND ($2::timestamptz IS NULL OR (accepted_at, id) < ($2::timestamptz, $3::uuid))
     ORDER BY accepted_at DESC, id DESC LIMIT $4`,
    [accountId, after?.acceptedAt ?? null, after?.id ?? null, limit],
  );
  return z.array(listedRow).parse(rows);
}

const foundRow = z.array(z.object({ id: z.string(), chainId: z.coerce.number().int() }));

/** The operation of an account; another account's is not found. */
export async function findOperationByHash(
  db: Queryable,
  accountId: string,
  hash: string,
): Promise<{ id: string; chainId: number } | undefined> {
  const rows = await queryRows(
    db,
    `SELECT id, chain_id AS "chainId" FROM account_kit.user_operations WHERE account_id = $1 AND hash = $2`,
    [accountId, hash.toLowerCase()],
  );
  return foundRow.parse(rows)[0];
}
