import type { Database, Queryable } from '@app/database';
import { encodeFields } from '../encode-key-info.js';
import type { KeyVaults } from '../vaults/key-vaults.js';
import {
  findSealedCodehostSecret,
  listCodehostSecretsToRewrap,
  replaceSealedCodehostSecret,
  setCodehostApp,
} from './codehost-apps.queries.js';

const BATCH = 100;

/** The OAuth application of a client application at the code host. */
interface CodehostAppName {
  readonly clientId: string;
  readonly oauthClientId: string;
}

/** No name of an account's key begins like this (`encodeKeyInfo`). */
const encodeName = ({ clientId, oauthClientId }: CodehostAppName): Buffer =>
  encodeFields(['codehost app', clientId, oauthClientId]);

/** Stores the application, with its secret sealed by the current vault. */
export async function storeCodehostApp(
  db: Database,
  vaults: KeyVaults,
  name: CodehostAppName,
  secret: string,
): Promise<void> {
  const sealed = await vaults.current.seal(encodeName(name), Buffer.from(secret));
  await setCodehostApp(db, name.clientId, name.oauthClientId, sealed);
}

/**
 * Opens the secret of a client application's OAuth application. Null if there is none.
 * @throws Error if the vault that sealed it is not configured
 */
export async function openCodehostSecret(db: Queryable, vaults: KeyVaults, clientId: string) {
  const row = await findSealedCodehostSecret(db, clientId);
  if (row === undefined) return null;
  const vault = vaults.findByWrappingKey(row.wrappingKeyId);
  if (vault === undefined)
    throw new Error(`a secret is sealed with ${row.wrappingKeyId}, which is not configured`);
  const secret = await vault.unseal(encodeName(row), row);
  return { oauthClientId: row.oauthClientId, version: row.version, secret: secret.toString() };
}

/** Seals secrets again that another vault, or another key, has sealed. It can be interrupted and repeated. @returns their number */
export async function rewrapCodehostSecrets(db: Database, vaults: KeyVaults): Promise<number> {
  let rewrapped = 0;
  for (;;) {
    const rows = await listCodehostSecretsToRewrap(db, vaults.current.wrappingKeyId, BATCH);
    if (rows.length === 0) return rewrapped;
    for (const row of rows) {
      const to = await vaults.rewrap(encodeName(row), row);
      if (await replaceSealedCodehostSecret(db, row, to)) rewrapped += 1;
    }
  }
}
