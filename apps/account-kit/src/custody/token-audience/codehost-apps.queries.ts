import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import type { SealedKey } from '../vaults/key-vault.js';

const codehostAppRow = z.object({
  oauthClientId: z.string(),
  /** Another one each time that the application is set. */
  version: z.uuid(),
  setAt: z.date(),
});

/** The OAuth application of a client application at the code host, without its secret. */
type CodehostApp = Readonly<z.infer<typeof codehostAppRow>>;

export async function findCodehostApp(db: Queryable, clientId: string): Promise<CodehostApp | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT oauth_client_id AS "oauthClientId", version, set_at AS "setAt"
     FROM account_kit.codehost_apps WHERE client_id = $1`,
    [clientId],
  );
  return row === undefined ? undefined : codehostAppRow.parse(row);
}

/** Sets the only OAuth application of a client application. */
export async function setCodehostApp(
  db: Queryable,
  clientId: string,
  oauthClientId: string,
  { wrappingKeyId, dataKey, sealedKey }: SealedKey,
): Promise<void> {
  await queryRows(
    db,
    `INSERT INTO account_kit.codehost_apps (client_id, oauth_client_id, wrapping_key_id, data_key, sealed_secret)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (client_id) DO UPDATE SET oauth_client_id = excluded.oauth_client_id, version = excluded.version,
       wrapping_key_id = excluded.wrapping_key_id, data_key = excluded.data_key,
       sealed_secret = excluded.sealed_secret, set_at = excluded.set_at`,
    [clientId, oauthClientId, wrappingKeyId, dataKey, sealedKey],
  );
}

/** @returns false if there was none */
export async function removeCodehostApp(db: Queryable, clientId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    'DELETE FROM account_kit.codehost_apps WHERE client_id = $1 RETURNING client_id',
    [clientId],
  );
  return rows.length === 1;
}

const sealedSecretRow = z.object({
  clientId: z.string(),
  oauthClientId: z.string(),
  version: z.uuid(),
  wrappingKeyId: z.string(),
  dataKey: z.instanceof(Buffer).nullable(),
  sealedKey: z.instanceof(Buffer),
});

const SEALED_SECRET = `client_id AS "clientId", oauth_client_id AS "oauthClientId", version,
  wrapping_key_id AS "wrappingKeyId", data_key AS "dataKey", sealed_secret AS "sealedKey"`;

type SealedCodehostSecret = Readonly<z.infer<typeof sealedSecretRow>>;

export async function findSealedCodehostSecret(
  db: Queryable,
  clientId: string,
): Promise<SealedCodehostSecret | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT ${SEALED_SECRET} FROM account_kit.codehost_apps WHERE client_id = $1`,
    [clientId],
  );
  return row === undefined ? undefined : sealedSecretRow.parse(row);
}

/** Lists some of the secrets that another key than this one has sealed. */
export async function listCodehostSecretsToRewrap(
  db: Queryable,
  wrappingKeyId: string,
  limit: number,
): Promise<SealedCodehostSecret[]> {
  const rows = await queryRows(
    db,
    `SELECT ${SEALED_SECRET} FROM account_kit.codehost_apps WHERE wrapping_key_id <> $1 LIMIT $2`,
    [wrappingKeyId, limit],
  );
  return rows.map((row) => sealedSecretRow.parse(row));
}

/** @returns false if the application was set, removed or sealed again meanwhile */
export async function replaceSealedCodehostSecret(
  db: Queryable,
  { clientId, sealedKey: from }: SealedCodehostSecret,
  to: SealedKey,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    `UPDATE account_kit.codehost_apps SET wrapping_key_id = $2, data_key = $3, sealed_secret = $4
     WHERE client_id = $1 AND sealed_secret = $5 RETURNING client_id`,
    [clientId, to.wrappingKeyId, to.dataKey, to.sealedKey, from],
  );
  return rows.length === 1;
}

const wrappingKeyRow = z.object({ wrappingKeyId: z.string() });

/** The keys that have sealed secrets. */
export async function listCodehostWrappingKeys(db: Queryable): Promise<string[]> {
  const rows = await queryRows(
    db,
    'SELECT DISTINCT wrapping_key_id AS "wrappingKeyId" FROM account_kit.codehost_apps',
  );
  return rows.map((row) => wrappingKeyRow.parse(row).wrappingKeyId);
}
