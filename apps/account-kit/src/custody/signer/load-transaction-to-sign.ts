import { createBatcher } from '@app/common';
import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import { isTransactionFrozen } from '../../limits/is-frozen.js';
import { platform } from '../../owners/platform-user.js';
import { matchRows, policyColumns, selectPolicy } from './policy-columns.js';
const transactionToSign = z.object({
  state: z.string(),
  isFrozen: z.boolean(),
  network: z.enum(['SOL', 'SOL_DEVNET']),
  message: z.instanceof(Buffer),
  signatures: z.instanceof(Buffer),
  sponsor: z.string().nullable(),
  accountId: z.string(),
  platform,
  userId: z.string(),
  keyRootId: z.string(),
  solanaAddresses: z.object({ SOL: z.string(), SOL_DEVNET: z.string() }),
  ...policyColumns,
});

/** A stored Solana transaction with the account that it is of. */
export type TransactionToSign = z.infer<typeof transactionToSign>;

export type TransactionToSignLoader = (transactionId: string) => Promise<TransactionToSign | undefined>;

/** Transactions that are to be signed at the same time are loaded in one statement. */
export function createTransactionToSignLoader(db: Queryable): TransactionToSignLoader {
  const batcher = createBatcher((ids: readonly string[]) => loadTransactionsToSign(db, ids), {
    batchWindowMs: 0,
  });
  return (transactionId) => batcher.load(transactionId);
}

async function loadTransactionsToSign(
  db: Queryable,
  ids: readonly string[],
): Promise<(TransactionToSign | undefined | Error)[]> {
  const rows = await queryRows(
    db,
    `SELECT transaction.id, state, ${isTransactionFrozen('transaction')} AS "isFrozen", network, message, signatures, sponsor,
       account.id AS "accountId", platform, platform_user_id AS "userId", key_root_id AS "keyRootId",
       solana_addresses AS "solanaAddresses", ${selectPolicy('transaction')}
     FROM account_kit.solana_transactions AS transaction
     JOIN account_kit.smart_accounts AS account ON account.id = transaction.account_id
     WHERE transaction.id = ANY($1::uuid[])`,
    [ids],
  );
  return matchRows(ids, rows, transactionToSign);
}
