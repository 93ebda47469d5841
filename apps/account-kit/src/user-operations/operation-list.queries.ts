import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import type { ListPosition } from '@app/service';
import { z } from 'zod';
import { operationKind, operationState } from '@app/dto';
import { shownReason } from './execution/bundles/due-operations.js';

const listedRow = z.object({
  id: z.string(),
  hash: z.string(),
  chainId: z.coerce.number().int(),
  kind: operationKind,
  state: operationState,
  nonceKey: z.string(),
  success: z.boolean().nullable(),
  reason: z.string().nullable(),
  transactionHash: z.string().nullable(),
  acceptedAt: z.string(),
  changedAt: z.date(),
});
export type ListedOperationRow = z.output<typeof listedRow>;

const NEWEST: ListPosition = { time: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** Signed operations of an account, newest first. */
export async function listOperations(
  db: Queryable,
  accountId: string,
  { after = NEWEST, limit }: { readonly after: ListPosition | undefined; readonly limit: number },
): Promise<ListedOperationRow[]> {
  const rows = await queryRows(
    db,
    `SELECT id, hash, chain_id AS "chainId", kind, state, nonce_key::text AS "nonceKey", success, ${shownReason('o')} AS reason,
       transaction_hash AS "transactionHash", changed_at AS "changedAt",
       ${formatTimestampSql('accepted_at')} AS "acceptedAt"
     FROM account_kit.user_operations AS o
     WHERE account_id = $1 AND hash IS NOT NULL AND (accepted_at, id) < ($2::timestamptz, $3::uuid)
     ORDER BY accepted_at DESC, id DESC LIMIT $4`,
    [accountId, after.time, after.id, limit],
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
