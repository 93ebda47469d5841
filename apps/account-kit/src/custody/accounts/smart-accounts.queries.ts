import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';
import type { AccountVersion } from '../../evm/accounts/account-contracts.js';
import type { PlatformUser } from '../../owners/platform-user.js';

const KEPT_DAYS = 7;

/** Counts one new account of a client application today (UTC). @returns false, and counts nothing, at the limit */
export async function countNewAccount(db: Queryable, clientId: string, limit: number): Promise<boolean> {
  const rows = await queryRows(
    db,
    `INSERT INTO account_kit.new_account_counts AS counts (client_id, day, accounts)
     VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1)
     ON CONFLICT (client_id, day) DO UPDATE SET accounts = counts.accounts + 1 WHERE counts.accounts < $2
     RETURNING accounts`,
    [clientId, limit],
  );
  return rows.length === 1;
}

/** Deletes the counts of earlier days of this client application. */
export async function deleteOldCounts(db: Queryable, clientId: string): Promise<void> {
  await queryRows(
    db,
    `DELETE FROM account_kit.new_account_counts
     WHERE client_id = $1 AND day < (now() AT TIME ZONE 'UTC')::date - ${KEPT_DAYS}`,
    [clientId],
  );
}

const evmAddress = z.templateLiteral(['0x', z.string()]);

const smartAccountRow = z.object({
  id: z.string(),
  accountVersion: z.enum(['0.7', '0.8']),
  keyRootId: z.string(),
  signerAddress: evmAddress,
  evmAddress,
  solanaAddresses: z.object({ SOL: z.string(), SOL_DEVNET: z.string() }),
  actionAddress: evmAddress,
});

/** The addresses of a platform user, as they were answered first. */
export type SmartAccount = Readonly<z.infer<typeof smartAccountRow>>;

type NewSmartAccount = PlatformUser & SmartAccount & { readonly accountVersion: AccountVersion };

const COLUMNS = `id, account_version AS "accountVersion", key_root_id AS "keyRootId", signer_address AS "signerAddress",
  evm_address AS "evmAddress", solana_addresses AS "solanaAddresses", action_address AS "actionAddress"`;

export async function findSmartAccount(
  db: Queryable,
  { platform, userId }: PlatformUser,
): Promise<SmartAccount | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT ${COLUMNS} FROM account_kit.smart_accounts WHERE platform = $1 AND platform_user_id = $2`,
    [platform, userId],
  );
  return row === undefined ? undefined : smartAccountRow.parse(row);
}

/**
 * The conflict has no target: the same account conflicts on (platform, platform_user_id) and on evm_address, and PostgreSQL raises a
 * unique violation for an index that is not the target when two requests insert at the same time.
 * @returns false if another request has stored the account first
 */
export async function insertSmartAccount(db: Queryable, account: NewSmartAccount): Promise<boolean> {
  const rows = await queryRows(
    db,
    `INSERT INTO account_kit.smart_accounts (id, platform, platform_user_id, account_version, key_root_id, signer_address,
       evm_address, solana_addresses, action_address)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      account.id,
      account.platform,
      account.userId,
      account.accountVersion,
      account.keyRootId,
      account.signerAddress,
      account.evmAddress,
      JSON.stringify(account.solanaAddresses),
      account.actionAddress,
    ],
  );
  return rows.length === 1;
}
