import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import type { AccountKeyName } from '../account-keys.js';
import type { SealedKey } from '../vaults/key-vault.js';

const sealedKeyRow = z.object({
  wrappingKeyId: z.string(),
  dataKey: z.instanceof(Buffer).nullable(),
  sealedKey: z.instanceof(Buffer),
});

const SEALED_KEY = `wrapping_key_id AS "wrappingKeyId", data_key AS "dataKey", sealed_key AS "sealedKey"`;

export async function findStoredKey(
  db: Queryable,
  accountId: string,
  { curve, purpose, network }: AccountKeyName,
): Promise<SealedKey | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT ${SEALED_KEY} FROM account_kit.account_keys
     WHERE account_id = $1 AND curve = $2 AND purpose = $3 AND network = $4`,
    [accountId, curve, purpose, network],
  );
  return row === undefined ? undefined : sealedKeyRow.parse(row);
}

/** @returns false if the key is stored already */
export async function insertStoredKey(
  db: Queryable,
  accountId: string,
  { curve, purpose, network }: AccountKeyName,
  { wrappingKeyId, dataKey, sealedKey }: SealedKey,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    `INSERT INTO account_kit.account_keys (account_id, curve, purpose, network, wrapping_key_id, data_key, sealed_key)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING account_id`,
    [accountId, curve, purpose, network, wrappingKeyId, dataKey, sealedKey],
  );
  return rows.length === 1;
}

/** @returns false if the key was sealed again meanwhile */
export async function replaceStoredKey(
  db: Queryable,
  accountId: string,
  { curve, purpose, network }: AccountKeyName,
  { from, to }: { readonly from: SealedKey; readonly to: SealedKey },
): Promise<boolean> {
  const rows = await queryRows(
    db,
    `UPDATE account_kit.account_keys SET wrapping_key_id = $5, data_key = $6, sealed_key = $7
     WHERE account_id = $1 AND curve = $2 AND purpose = $3 AND network = $4 AND sealed_key = $8 RETURNING account_id`,
    [accountId, curve, purpose, network, to.wrappingKeyId, to.dataKey, to.sealedKey, from.sealedKey],
  );
  return rows.length === 1;
}

const keyToRewrap = sealedKeyRow.extend({
  accountId: z.string(),
  platform: z.enum(['chat', 'microblog', 'codehost']),
  userId: z.string(),
  curve: z.enum(['secp256k1', 'ed25519']),
  purpose: z.enum(['account', 'action']),
  network: z.string(),
});

/** Lists some of the keys that another key than this one has sealed. */
export async function listKeysToRewrap(db: Queryable, wrappingKeyId: string, limit: number) {
  const rows = await queryRows(
    db,
    `SELECT account_id AS "accountId", platform, platform_user_id AS "userId", curve, purpose, network, ${SEALED_KEY}
     FROM account_kit.account_keys JOIN account_kit.smart_accounts ON id = account_id
     WHERE wrapping_key_id <> $1 LIMIT $2`,
    [wrappingKeyId, limit],
  );
  return rows.map((row) => keyToRewrap.parse(row));
}

const accountToMaterialize = z.object({
  accountId: z.string(),
  platform: z.enum(['chat', 'microblog', 'codehost']),
  userId: z.string(),
  keyRootId: z.string(),
  signerAddress: z.string(),
  actionAddress: z.string(),
  solanaAddresses: z.object({ SOL: z.string(), SOL_DEVNET: z.string() }),
});

export type AccountToMaterialize = z.infer<typeof accountToMaterialize>;

/** Lists some of the accounts that have fewer stored keys than this. */
export async function listAccountsToMaterialize(
  db: Queryable,
  keysOfAccount: number,
  limit: number,
): Promise<AccountToMaterialize[]> {
  const rows = await queryRows(
    db,
    `SELECT id AS "accountId", platform, platform_user_id AS "userId", key_root_id AS "keyRootId",
       signer_address AS "signerAddress", action_address AS "actionAddress", solana_addresses AS "solanaAddresses"
     FROM account_kit.smart_accounts AS account
     WHERE (SELECT count(*) FROM account_kit.account_keys WHERE account_id = account.id) < $1 LIMIT $2`,
    [keysOfAccount, limit],
  );
  return rows.map((row) => accountToMaterialize.parse(row));
}

const rootRow = z.object({ rootId: z.string() });

/** A root, other than these, that an account names whose keys are not all stored. */
export async function findOtherRoot(
  db: Queryable,
  rootIds: readonly string[],
  keysOfAccount: number,
): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT key_root_id AS "rootId" FROM account_kit.smart_accounts AS account
     WHERE key_root_id <> ALL($1::text[])
       AND (SELECT count(*) FROM account_kit.account_keys WHERE account_id = account.id) < $2 LIMIT 1`,
    [rootIds, keysOfAccount],
  );
  return row === undefined ? undefined : rootRow.parse(row).rootId;
}

const accountOfRoot = z.object({
  platform: z.enum(['chat', 'microblog', 'codehost']),
  userId: z.string(),
  signerAddress: z.string(),
});

/**
 * Finds an account whose keys this root derives. Materialized accounts count, too: their addresses are those of the
 * root.
 */
export async function findAccountOfRoot(
  db: Queryable,
  rootId: string,
): Promise<z.infer<typeof accountOfRoot> | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT platform, platform_user_id AS "userId", signer_address AS "signerAddress" FROM account_kit.smart_accounts
     WHERE key_root_id = $1 LIMIT 1`,
    [rootId],
  );
  return row === undefined ? undefined : accountOfRoot.parse(row);
}

const wrappingKeyRow = z.object({ wrappingKeyId: z.string() });

/** The keys that have sealed stored ones. */
export async function listWrappingKeysInUse(db: Queryable): Promise<string[]> {
  const rows = await queryRows(
    db,
    `SELECT wrapping_key_id AS "wrappingKeyId" FROM account_kit.account_keys
     UNION SELECT wrapping_key_id FROM account_kit.action_keys WHERE wrapping_key_id IS NOT NULL`,
  );
  return rows.map((row) => wrappingKeyRow.parse(row).wrappingKeyId);
}
