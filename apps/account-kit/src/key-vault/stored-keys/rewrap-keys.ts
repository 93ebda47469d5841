import type { Database } from '@app/database';
import type { KeyVaults } from '../vaults/key-vaults.js';
import { listKeysToRewrap, replaceStoredKey } from './stored-keys.queries.js';

const BATCH = 100;

/**
 * Seals stored keys again with the current vault, so that the earlier wrapping key can be removed. It can be interrupted and
 * repeated.
 * @returns the number of keys
 * @throws Error if the vault that sealed a key is not configured
 */
export async function rewrapKeys(db: Database, vaults: KeyVaults): Promise<number> {
  const { current } = vaults;
  let rewrapped = 0;
  for (;;) {
    const keys = await listKeysToRewrap(db, current.wrappingKeyId, BATCH);
    if (keys.length === 0) return rewrapped;
    for (const { accountId, platform, userId, curve, purpose, network, ...sealed } of keys) {
      const name = { curve, purpose, network };
      const info = { ...name, platform, userId };
      const vault = vaults.findByWrappingKey(sealed.wrappingKeyId);
      if (vault === undefined)
        throw new Error(`A stored key is sealed with ${sealed.wrappingKeyId}, which is not configured.`);
      const to = await current.seal(info, await vault.unseal(info, sealed));
      if (await replaceStoredKey(db, accountId, name, { from: sealed, to })) rewrapped += 1;
    }
  }
}
