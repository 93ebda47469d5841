import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import { platform } from '../../owners/platform-user.js';
import type { SealedKey } from '../vaults/key-vault.js';

const evmAddress = z.templateLiteral(['0x', z.string()]);

const actionKeyRow = z.object({
  keyRootId: z.string(),
  address: evmAddress,
  wrappingKeyId: z.string().nullable(),
  dataKey: z.instanceof(Buffer).nullable(),
  sealedKey: z.instanceof(Buffer).nullable(),
});

/** The key with which custom actions of one client application sign for an account. Its address never changes. */
interface ActionKey {
  readonly keyRootId: string;
  readonly address: `0x${string}`;
  /** Undefined while the root derives the key. */
  readonly sealed: SealedKey | undefined;
}

/** Names an action key, and the user from whom it is derived. */
const ownedActionKeyRow = actionKeyRow.extend({
  accountId: z.string(),
  clientId: z.string(),
  platform,
  userId: z.string(),
});

export type OwnedActionKey = ActionKey &
  Pick<z.infer<typeof ownedActionKeyRow>, 'accountId' | 'clientId' | 'platform' | 'userId'>;

export interface ActionKeyName {
  readonly accountId: string;
  readonly clientId: string;
}

const COLUMNS = `key.key_root_id AS "keyRootId", key.address, key.wrapping_key_id AS "wrappingKeyId", key.data_key AS "dataKey",
  key.sealed_key AS "sealedKey"`;

const OWNED_COLUMNS = `${COLUMNS}, account_id AS "accountId", client_id AS "clientId", platform, platform_user_id AS "userId"`;
const OWNED =
  'account_kit.action_keys AS key JOIN account_kit.smart_accounts AS account ON account.id = key.account_id';

function toActionKey<Row extends z.infer<typeof actionKeyRow>>(row: Row) {
  const { wrappingKeyId, dataKey, sealedKey, ...key } = row;
  const isSealed = wrappingKeyId !== null && sealedKey !== null;
  return { ...key, sealed: isSealed ? { wrappingKeyId, dataKey, sealedKey } : undefined };
}

export async function findActionKey(
  db: Queryable,
  { accountId, clientId }: ActionKeyName,
): Promise<ActionKey | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT ${COLUMNS} FROM account_kit.action_keys AS key WHERE account_id = $1 AND client_id = $2`,
    [accountId, clientId],
  );
  return row === undefined ? undefined : toActionKey(actionKeyRow.parse(row));
}

/** Finds an action key that this root derives, sealed or not. */
export async function findActionKeyOfRoot(
  db: Queryable,
  rootId: string,
): Promise<OwnedActionKey | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT ${OWNED_COLUMNS} FROM ${OWNED} WHERE key.key_root_id = $1 LIMIT 1`,
    [rootId],
  );
  return row === undefined ? undefined : toActionKey(ownedActionKeyRow.parse(row));
}

/** Without effect if the key is stored already. */
export async function insertActionKey(
  db: Queryable,
  { accountId, clientId }: ActionKeyName,
  { keyRootId, address }: Pick<ActionKey, 'keyRootId' | 'address'>,
): Promise<void> {
  await queryRows(
    db,
    `INSERT INTO account_kit.action_keys (account_id, client_id, key_root_id, address) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id, client_id) DO NOTHING RETURNING account_id`,
    [accountId, clientId, keyRootId, address],
  );
}

/** Lists some of the keys that only their root can derive. */
export async function listActionKeysToSeal(db: Queryable, limit: number): Promise<OwnedActionKey[]> {
  const rows = await queryRows(
    db,
    `SELECT ${OWNED_COLUMNS} FROM ${OWNED} WHERE key.wrapping_key_id IS NULL LIMIT $1`,
    [limit],
  );
  return rows.map((row) => toActionKey(ownedActionKeyRow.parse(row)));
}

/** Lists some of the keys that another key than this one has sealed. */
export async function listActionKeysToRewrap(
  db: Queryable,
  wrappingKeyId: string,
  limit: number,
): Promise<OwnedActionKey[]> {
  const rows = await queryRows(
    db,
    `SELECT ${OWNED_COLUMNS} FROM ${OWNED} WHERE key.wrapping_key_id <> $1 LIMIT $2`,
    [wrappingKeyId, limit],
  );
  return rows.map((row) => toActionKey(ownedActionKeyRow.parse(row)));
}

/** @param from what was read; undefined if the key was not sealed. @returns false if the key was sealed meanwhile */
export async function sealActionKey(
  db: Queryable,
  { accountId, clientId }: ActionKeyName,
  { from, to }: { readonly from: SealedKey | undefined; readonly to: SealedKey },
): Promise<boolean> {
  const rows = await queryRows(
    db,
    `UPDATE account_kit.action_keys SET wrapping_key_id = $3, data_key = $4, sealed_key = $5
     WHERE account_id = $1 AND client_id = $2 AND sealed_key IS NOT DISTINCT FROM $6::bytea RETURNING account_id`,
    [accountId, clientId, to.wrappingKeyId, to.dataKey, to.sealedKey, from?.sealedKey ?? null],
  );
  return rows.length === 1;
}

const rootRow = z.object({ rootId: z.string() });

/** A root, other than these, that derives an action key which is not sealed. */
export async function findOtherActionKeyRoot(
  db: Queryable,
  rootIds: readonly string[],
): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT key_root_id AS "rootId" FROM account_kit.action_keys
     WHERE wrapping_key_id IS NULL AND key_root_id <> ALL($1::text[]) LIMIT 1`,
    [rootIds],
  );
  return row === undefined ? undefined : rootRow.parse(row).rootId;
}
