import { queryRows, type Queryable } from '@app/database';
import type { Hex } from 'viem';
import { z } from 'zod';
import { freezesOf } from '../../limits/is-frozen.js';
import { platform } from '../../owners/platform-user.js';
import { actionKeyName, toEvmKey } from '../account-keys.js';
import type { EvmKey } from '../create-evm-key.js';
import type { AccountKeyring } from '../stored-keys/account-keyring.js';
import { FROZEN, NOT_LISTED, RefusedToSignError } from '../key-vault.errors.js';
import type { DerivedActionAddress, SignerRequestOf } from './signer-messages.js';
import type { KeyVaults } from '../vaults/key-vaults.js';

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
  keyScope: z.enum(['account', 'application']).nullable(),
});

const userRow = z.object({ platform, userId: z.string() });

/**
 * Derives the key of a client application for actions of an account, from the current root: the root of the account may be gone
 * once the keys of the account are stored.
 */
export async function deriveActionAddress(
  db: Queryable,
  { current }: KeyVaults,
  { accountId, clientId }: Omit<SignerRequestOf<'deriveActionAddress'>, 'type'>,
): Promise<DerivedActionAddress> {
  const [row] = await queryRows(
    db,
    `SELECT platform, platform_user_id AS "userId" FROM account_kit.smart_accounts WHERE id = $1`,
    [accountId],
  );
  if (row === undefined) throw new RefusedToSignError('there is no such account');
  const name = actionKeyName(clientId);
  const [keyRootId, key] = await Promise.all([
    current.loadRootId(),
    current.derive({ ...name, ...userRow.parse(row) }),
  ]);
  return { keyRootId, address: toEvmKey(key).address };
}

/**
 * Signs bytes of a custom action as a personal message (ERC-191), with a key that owns no account: the client application's own
 * key for the account, or the one that applications share if the action was listed before there were such keys.
 * @throws RefusedToSignError if the action is not listed, or the account has another key
 */
export async function signActionBytes(
  db: Queryable,
  keyring: AccountKeyring,
  { accountId, clientId, cid, bytes }: Omit<SignerRequestOf<'signActionBytes'>, 'type'>,
): Promise<Hex> {
  const [row] = await queryRows(
    db,
    `SELECT ${IS_FROZEN} AS "isFrozen", platform, platform_user_id AS "userId", key_root_id AS "keyRootId", action_address AS "actionAddress",
       (SELECT key_scope FROM account_kit.custom_actions WHERE client_id = $2 AND cid = $3) AS "keyScope"
     FROM account_kit.smart_accounts AS account WHERE id = $1`,
    [accountId, clientId, cid],
  );
  if (row === undefined) throw new RefusedToSignError('there is no such account');
  const { isFrozen, actionAddress, keyScope, ...user } = accountRow.parse(row);
  if (isFrozen) throw new RefusedToSignError(FROZEN);
  if (keyScope === null) throw new RefusedToSignError(NOT_LISTED);
  const owner = { ...user, accountId };
  const key =
    keyScope === 'application'
      ? await keyring.openActionKey(owner, clientId)
      : requireAddress(await keyring.openEvmKey(owner, 'action'), actionAddress);
  return key.signMessage({ message: { raw: bytes } });
}

function requireAddress(key: EvmKey, address: string): EvmKey {
  if (address !== key.address) throw new RefusedToSignError('the account has another key for actions');
  return key;
}
