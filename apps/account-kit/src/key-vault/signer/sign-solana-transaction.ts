import { queryRows, type Queryable } from '@app/database';
import { VersionedMessage } from '@solana/web3.js';
import { z } from 'zod';
import { isTransactionFrozen } from '../../freezes/is-frozen.js';
import { platform } from '../../platforms/platform-user.js';
import { signSolanaMessage, toSolanaAddress } from '../account-keys.js';
import type { AccountKeyring } from '../stored-keys/account-keyring.js';
import { FROZEN, RefusedToSignError } from './refused-to-sign.error.js';
import type { SolanaSignature } from './signer-messages.js';

const transactionRow = z.object({
  state: z.string(),
  isFrozen: z.boolean(),
  network: z.enum(['SOL', 'SOL_DEVNET']),
  message: z.instanceof(Buffer),
  accountId: z.string(),
  platform,
  userId: z.string(),
  keyRootId: z.string(),
  solanaAddresses: z.object({ SOL: z.string(), SOL_DEVNET: z.string() }),
});

/**
 * Signs the message of a stored transaction with the key that its account has on the network.
 * @throws RefusedToSignError unless the row is `accepted`, and its message a transaction that the account signs
 */
export async function signSolanaTransaction(
  db: Queryable,
  keyring: AccountKeyring,
  transactionId: string,
): Promise<SolanaSignature> {
  const [row] = await queryRows(
    db,
    `SELECT state, ${isTransactionFrozen('transaction')} AS "isFrozen", network, message, account.id AS "accountId", platform, platform_user_id AS "userId", key_root_id AS "keyRootId",
       solana_addresses AS "solanaAddresses"
     FROM account_kit.solana_transactions AS transaction
     JOIN account_kit.smart_accounts AS account ON account.id = transaction.account_id
     WHERE transaction.id = $1`,
    [transactionId],
  );
  if (row === undefined) throw new RefusedToSignError('there is no such transaction');
  const { state, isFrozen, network, message, solanaAddresses, ...owner } = transactionRow.parse(row);
  if (state !== 'accepted') throw new RefusedToSignError(`the transaction is ${state}`);
  if (isFrozen) throw new RefusedToSignError(FROZEN);
  const key = await keyring.openSolanaKey(owner, network);
  const address = toSolanaAddress(key);
  if (address !== solanaAddresses[network])
    throw new RefusedToSignError('the account has another key on the network');
  if (!listSigners(message).includes(address))
    throw new RefusedToSignError('the account is not a signer of the transaction');
  return { address, signature: signSolanaMessage(key, message).toString('base64') };
}

/** Empty for bytes that are not the message of a transaction: the key signs nothing else. */
function listSigners(message: Uint8Array): readonly string[] {
  try {
    const { header, staticAccountKeys } = VersionedMessage.deserialize(message);
    return staticAccountKeys.slice(0, header.numRequiredSignatures).map((key) => key.toBase58());
  } catch {
    // web3.js throws errors of many types for malformed bytes.
    return [];
  }
}
