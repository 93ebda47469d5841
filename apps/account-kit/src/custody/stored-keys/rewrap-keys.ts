import type { Database } from '@app/database';
import { actionKeyName } from '../account-keys.js';
import { encodeKeyInfo } from '../encode-key-info.js';
import type { KeyVaults } from '../vaults/key-vaults.js';
import { listActionKeysToRewrap, sealActionKey } from './action-keys.queries.js';
import { listKeysToRewrap, replaceStoredKey } from './stored-keys.queries.js';

const BATCH = 100;

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
