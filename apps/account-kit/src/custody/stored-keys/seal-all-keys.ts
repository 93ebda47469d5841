import type { Database } from '@app/database';
import { ACCOUNT_KEY_NAMES, type AccountKeyName, actionKeyName, toAddress } from '../account-keys.js';
import { encodeKeyInfo, type KeyInfo } from '../encode-key-info.js';
import type { KeyVaults } from '../vaults/key-vaults.js';
import {
  listActionKeysToSeal,
  type OwnedActionKey,
  sealActionKey,
  listActionKeysToRewrap,
} from './action-keys.queries.js';
import {
  type AccountToMaterialize,
  insertStoredKey,
  listAccountsToMaterialize,
  listKeysToRewrap,
  replaceStoredKey,
} from './stored-keys.queries.js';

/** Keys of one step, so that a command that is interrupted has lost little. */
const BATCH = 100;

/**
 * Stores all keys of accounts, and those of client applications for actions, sealed by the current vault, so that the accounts no longer need their root. It can be
 * interrupted and repeated.
 * @returns the number of stored keys
 * @throws Error if an account's root is not configured, or derives another key than the account has
 */
export async function materializeKeys(db: Database, vaults: KeyVaults): Promise<number> {
  let stored = 0;
  for (;;) {
    const accounts = await listAccountsToMaterialize(db, ACCOUNT_KEY_NAMES.length, BATCH);
    const actionKeys = accounts.length < BATCH ? await listActionKeysToSeal(db, BATCH) : [];
    if (accounts.length + actionKeys.length === 0) return stored;
    for (const account of accounts)
      for (const name of ACCOUNT_KEY_NAMES) if (await materializeKey(db, vaults, account, name)) stored += 1;
    for (const key of actionKeys) if (await materializeActionKey(db, vaults, key)) stored += 1;
  }
}

async function materializeActionKey(
  db: Database,
  vaults: KeyVaults,
  owned: OwnedActionKey,
): Promise<boolean> {
  const name = actionKeyName(owned.clientId);
  const info = { ...name, platform: owned.platform, userId: owned.userId };
  const key = await derive(vaults, info, { accountId: owned.accountId, keyRootId: owned.keyRootId });
  if (toAddress(name, key) !== owned.address)
    throw new Error(`Account ${owned.accountId} has another key for actions than its root derives.`);
  const to = await vaults.current.seal(encodeKeyInfo(info), key);
  return sealActionKey(db, owned, { from: undefined, to });
}

async function derive(
  vaults: KeyVaults,
  info: KeyInfo,
  { accountId, keyRootId }: { readonly accountId: string; readonly keyRootId: string },
): Promise<Buffer> {
  const vault = await vaults.findByRootId(keyRootId);
  if (vault === undefined)
    throw new Error(`Account ${accountId} has the key root ${keyRootId}, which is not configured.`);
  return vault.derive(info);
}

async function materializeKey(
  db: Database,
  vaults: KeyVaults,
  account: AccountToMaterialize,
  name: AccountKeyName,
): Promise<boolean> {
  const { accountId, platform, userId } = account;
  const info = { ...name, platform, userId };
  const key = await derive(vaults, info, account);
  if (toAddress(name, key) !== storedAddress(account, name))
    throw new Error(`Account ${accountId} has another key than its root derives.`);
  return insertStoredKey(db, accountId, name, await vaults.current.seal(encodeKeyInfo(info), key));
}

function storedAddress(account: AccountToMaterialize, { curve, purpose, network }: AccountKeyName): string {
  if (curve === 'ed25519') return account.solanaAddresses[network === 'SOL' ? 'SOL' : 'SOL_DEVNET'];
  return purpose === 'account' ? account.signerAddress : account.actionAddress;
}

/**
 * Seals stored keys again with the current vault, so that the earlier wrapping key can be removed. It can be interrupted and
 * repeated.
 * @returns the number of keys
 * @throws Error if the vault that sealed a key is not configured
 */
export async function rewrapKeys(db: Database, vaults: KeyVaults): Promise<number> {
  let rewrapped = 0;
  for (;;) {
    const keys = await listKeysToRewrap(db, vaults.current.wrappingKeyId, BATCH);
    const actionKeys = await listActionKeysToRewrap(db, vaults.current.wrappingKeyId, BATCH);
    if (keys.length + actionKeys.length === 0) return rewrapped;
    for (const { accountId, platform, userId, curve, purpose, network, ...sealed } of keys) {
      const name = { curve, purpose, network };
      const to = await vaults.rewrap(encodeKeyInfo({ ...name, platform, userId }), sealed);
      if (await replaceStoredKey(db, accountId, name, { from: sealed, to })) rewrapped += 1;
    }
    for (const { platform, userId, sealed: from, ...key } of actionKeys) {
      if (from === undefined) continue;
      const to = await vaults.rewrap(
        encodeKeyInfo({ ...actionKeyName(key.clientId), platform, userId }),
        from,
      );
      if (await sealActionKey(db, key, { from, to })) rewrapped += 1;
    }
  }
}
