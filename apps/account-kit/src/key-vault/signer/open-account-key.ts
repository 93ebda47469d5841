import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import { platform } from '../../platforms/platform-user.js';
import type { AccountKeyring } from '../stored-keys/account-keyring.js';
import { RefusedToSignError } from './refused-to-sign.error.js';

const ownerRow = z.object({ platform, userId: z.string(), keyRootId: z.string() });

/**
 * Opens the EVM key of an account, which stays in memory for a while: so an operation is accepted only when its key can sign it.
 * @throws RefusedToSignError if the account's root is not configured, or the vault's error
 */
export async function openAccountKey(
  db: Queryable,
  keyring: AccountKeyring,
  accountId: string,
): Promise<true> {
  const [row] = await queryRows(
    db,
    `SELECT platform, platform_user_id AS "userId", key_root_id AS "keyRootId" FROM account_kit.smart_accounts
     WHERE id = $1`,
    [accountId],
  );
  if (row === undefined) throw new RefusedToSignError('there is no such account');
  await keyring.openEvmKey({ ...ownerRow.parse(row), accountId }, 'account');
  return true;
}
