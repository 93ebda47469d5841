import { LOCAL_CHAIN_ID } from './anvil.mjs';
import { withConnection } from '../postgres/with-connection.mjs';
import { rpc } from './json-rpc.mjs';

/** What account-kit stores of a chain, referring tables first. */
const STATEMENTS = [
  `DELETE FROM account_kit.executor_transaction_operations WHERE transaction_id IN
     (SELECT id FROM account_kit.executor_transactions WHERE chain_id = $1)`,
  `DELETE FROM account_kit.executor_transaction_variants WHERE transaction_id IN
     (SELECT id FROM account_kit.executor_transactions WHERE chain_id = $1)`,
  'DELETE FROM account_kit.executor_transactions WHERE chain_id = $1',
  `DELETE FROM account_kit.bundler_submissions WHERE operation_id IN
     (SELECT id FROM account_kit.user_operations WHERE chain_id = $1)`,
  `DELETE FROM account_kit.idempotency_keys WHERE operation_id IN
     (SELECT id FROM account_kit.user_operations WHERE chain_id = $1)`,
  'DELETE FROM account_kit.user_operations WHERE chain_id = $1',
];

/**
 * The local chain loses the blocks of a run that was killed, and the database keeps its rows: nonces in them would be ahead of
 * the chain for good. Deletes the user operations of the local chain when that has happened.
 * @param {{ databaseUrl: string, rpcUrl: string }} options
 * @returns {Promise<boolean>} whether they were deleted
 */
export async function forgetLostBlocks({ databaseUrl, rpcUrl }) {
  return withConnection(databaseUrl, async (client) => {
    /** @type {{ rows: { highest: string | null }[] }} */
    const { rows } = await client.query(
      'SELECT max(block_number) AS highest FROM account_kit.user_operations WHERE chain_id = $1',
      [LOCAL_CHAIN_ID],
    );
    const head = BigInt(await rpc(rpcUrl, 'eth_blockNumber'));
    const highest = rows[0]?.highest ?? null;
    if (highest === null || BigInt(highest) <= head) return false;
    await client.query('BEGIN');
    for (const statement of STATEMENTS) await client.query(statement, [LOCAL_CHAIN_ID]);
    await client.query('COMMIT');
    return true;
  });
}
