import { encryptAesGcm } from '@app/common';
import type { NewKey } from '@app/key-ring';
import { createKeyMaterial } from '../../apps/identity/src/tokens/keys/key-material.js';
import { queryDatabase } from '../identity/query-database.js';

const USE = 'id-rs256';
let key: Promise<NewKey> | undefined;

/**
 * Stores an RSA key for identity, the same in each database of this process: identity would generate one, which takes a fifth
 * of a second of processor time. All other keys it makes itself.
 */
export async function storeRsaKey(databaseUrl: string, tokenKeySecret: string): Promise<void> {
  const { kid, bytes } = await (key ??= createKeyMaterial(USE));
  const sealed = encryptAesGcm(Buffer.from(tokenKeySecret, 'base64url'), bytes, `${USE}:${kid}`);
  await queryDatabase(
    databaseUrl,
    `INSERT INTO identity.token_keys (kid, use, sealed, published_at, signs_from)
     VALUES ($1, $2, $3, now() - interval '1 second', now() - interval '1 second')`,
    [kid, USE, sealed],
  );
}
