import { queryRows, type Queryable } from '@app/database';
import type { Hex } from 'viem';
import { z } from 'zod';
import { freezesOf } from '../../freezes/is-frozen.js';
import { platform } from '../../platforms/platform-user.js';
import type { AccountKeyring } from '../stored-keys/account-keyring.js';
import { FROZEN, RefusedToSignError } from './refused-to-sign.error.js';

const IS_FROZEN = `EXISTS (SELECT ${freezesOf({
  account: 'account.id',
  client: '$2::text',
  chain: 'NULL',
  paymaster: 'NULL',
})})`;

const accountRow = z.object({
  isFrozen: z.boolean(),
  platform,
  userId: z.string(),
  keyRootId: z.string(),
  actionAddress: z.string(),
});

/**
 * Signs bytes of a custom action as a personal message (ERC-191), with a key that owns no account.
 * @throws RefusedToSignError if the account has another key
 */
export async function signActionBytes(
  db: Queryable,
  keyring: AccountKeyring,
  { accountId, clientId, bytes }: { accountId: string; clientId: string; bytes: Hex },
): Promise<Hex> {
  const [row] = await queryRows(
    db,
    `SELECT ${IS_FROZEN} AS "isFrozen", platform, platform_user_id AS "userId", key_root_id AS "keyRootId", action_address AS "actionAddress"
     FROM account_kit.smart_accounts AS account WHERE id = $1`,
    [accountId, clientId],
  );
  if (row === undefined) throw new RefusedToSignError('there is no such account');
  const { isFrozen, actionAddress, ...owner } = accountRow.parse(row);
  if (isFrozen) throw new RefusedToSignError(FROZEN);
  const key = await keyring.openEvmKey({ ...owner, accountId }, 'action');
  if (actionAddress !== key.address) throw new RefusedToSignError('the account has another key for actions');
  return key.signMessage({ message: { raw: bytes } });
}
