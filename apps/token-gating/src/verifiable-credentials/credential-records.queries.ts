import { type Queryable, queryRows } from '@app/database';
import { linkedWallet, type LinkedWallet } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CREDENTIAL_TYPES, type CredentialType } from './credential-types.js';
import type { StatusEntry } from './status/status-lists.queries.js';

/** What is stored of a credential; the credential itself is not. */
export interface CredentialRecord {
  readonly id: string;
  readonly userId: string;
  /** The client application that asked for it. */
  readonly clientId: string | undefined;
  readonly type: CredentialType;
  readonly wallet: LinkedWallet;
  /** The community and the role that it is about. */
  readonly communityId: string | undefined;
  readonly roleId: string | undefined;
  readonly sealedClaims: Buffer;
  /** RFC 7638, of the holder's key. */
  readonly thumbprint: string;
  readonly isPublic: boolean;
  readonly status: StatusEntry;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | undefined;
}

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

const recordRows = z.array(
  z
    .object({
      id: z.string(),
      userId: z.string(),
      clientId: optionalText,
      type: z.enum(CREDENTIAL_TYPES),
      walletType: linkedWallet.shape.type,
      chainId: z.string(),
      address: z.string(),
      communityId: optionalText,
      roleId: optionalText,
      sealedClaims: z.custom<Buffer>(Buffer.isBuffer),
      thumbprint: z.string(),
      isPublic: z.boolean(),
      list: z.int(),
      entry: z.int(),
      createdAt: z.date(),
      expiresAt: z.date(),
      revokedAt: z.date().nullable(),
    })
    .transform(({ walletType, chainId, address, list, entry, revokedAt, ...record }): CredentialRecord => ({
      ...record,
      wallet: { type: walletType, chainId, address },
      status: { list, entry },
      revokedAt: revokedAt ?? undefined,
    })),
);

const COLUMNS = `
  id, user_id AS "userId", client_id AS "clientId", type, wallet_type AS "walletType", wallet_chain_id AS "chainId",
  wallet_address AS address, community_id AS "communityId", role_id AS "roleId", sealed_claims AS "sealedClaims", thumbprint, is_public AS "isPublic", list_id AS list, entry,
  created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"`;

/** The address as lists of an account look it up. */
export const toAccountKey = ({ type, address }: Pick<LinkedWallet, 'type' | 'address'>): string =>
  type === 'solana' ? address : address.toLowerCase();

/** @returns whether the nonce was not used before */
export async function useNonce(manager: EntityManager, nonce: string, expiresAt: Date): Promise<boolean> {
  const sql = `
    INSERT INTO token_gating.used_credential_nonces (nonce, expires_at) VALUES ($1, $2)
    ON CONFLICT DO NOTHING RETURNING nonce`;
  return (await queryRows(manager, sql, [nonce, expiresAt])).length > 0;
}

/** @param tokenIssuedAt of the token with which the credential was asked for, in Unix seconds */
export async function insertCredential(
  manager: EntityManager,
  record: CredentialRecord,
  tokenIssuedAt: number | undefined,
): Promise<void> {
  const sql = `
    INSERT INTO token_gating.verifiable_credentials
      (id, user_id, client_id, type, account_key, wallet_type, wallet_chain_id, wallet_address, sealed_claims, thumbprint,
        is_public, list_id, entry, created_at, expires_at, community_id, role_id, token_issued_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, to_timestamp($18::float8))`;
  const { wallet, status } = record;
  await queryRows(manager, sql, [
    ...[record.id, record.userId, record.clientId ?? null, record.type, toAccountKey(wallet)],
    ...[wallet.type, wallet.chainId, wallet.address, record.sealedClaims, record.thumbprint],
    ...[record.isPublic, status.list, status.entry, record.createdAt, record.expiresAt],
    ...[record.communityId ?? null, record.roleId ?? null, tokenIssuedAt ?? null],
  ]);
}

/** Credentials of a user that have not expired, the newest first. Revoked ones are at most as many as `limit` allows. */
export async function listUserCredentials(
  db: Queryable,
  userId: string,
  limit: number,
): Promise<CredentialRecord[]> {
  const sql = `
    SELECT ${COLUMNS} FROM token_gating.verifiable_credentials
    WHERE user_id = $1 AND expires_at > now() ORDER BY revoked_at IS NOT NULL, created_at DESC, id LIMIT $2`;
  return recordRows.parse(await queryRows(db, sql, [userId, limit]));
}

/** Credentials that have expired are not found. @param clientId only one that this client application asked for */
export async function findUserCredential(
  db: Queryable,
  userId: string,
  id: string,
  clientId?: string,
): Promise<CredentialRecord | undefined> {
  const sql = `
    SELECT ${COLUMNS} FROM token_gating.verifiable_credentials
    WHERE id = $2 AND user_id = $1 AND expires_at > now() AND ($3::text IS NULL OR client_id = $3)`;
  return recordRows.parse(await queryRows(db, sql, [userId, id, clientId ?? null]))[0];
}

const IS_PUBLIC = 'is_public AND revoked_at IS NULL AND expires_at > now()';

/** A live credential that its user made public. */
export async function findPublicCredential(db: Queryable, id: string): Promise<CredentialRecord | undefined> {
  const sql = `SELECT ${COLUMNS} FROM token_gating.verifiable_credentials WHERE id = $1 AND ${IS_PUBLIC}`;
  return recordRows.parse(await queryRows(db, sql, [id]))[0];
}

/** Live public credentials of an account, the newest first. @param chainId of a contract account; undefined for any chain */
export async function listPublicCredentials(
  db: Queryable,
  accountKey: string,
  chainId: string | undefined,
  limit: number,
): Promise<CredentialRecord[]> {
  const sql = `
    SELECT ${COLUMNS} FROM token_gating.verifiable_credentials
    WHERE account_key = $1 AND ${IS_PUBLIC} AND (wallet_type <> 'contract' OR $2::text IS NULL OR wallet_chain_id = $2)
    ORDER BY created_at DESC, id LIMIT $3`;
  return recordRows.parse(await queryRows(db, sql, [accountKey, chainId ?? null, limit]));
}

export async function findCredentialByStatus(
  db: Queryable,
  { list, entry }: StatusEntry,
): Promise<CredentialRecord | undefined> {
  const sql = `SELECT ${COLUMNS} FROM token_gating.verifiable_credentials WHERE list_id = $1 AND entry = $2`;
  return recordRows.parse(await queryRows(db, sql, [list, entry]))[0];
}

/** The query takes a step along the index for each client application, however many credentials it has asked for. */
const LIST_CLIENTS = `
  WITH RECURSIVE clients AS (
    (SELECT client_id FROM token_gating.verifiable_credentials
     WHERE client_id > $1 AND revoked_at IS NULL ORDER BY client_id LIMIT 1)
    UNION ALL
    SELECT (SELECT client_id FROM token_gating.verifiable_credentials
      WHERE client_id > clients.client_id AND revoked_at IS NULL ORDER BY client_id LIMIT 1)
    FROM clients WHERE clients.client_id IS NOT NULL
  )
  SELECT client_id AS "clientId" FROM clients WHERE client_id IS NOT NULL LIMIT $2`;

const clientRows = z.array(z.object({ clientId: z.string() }));

/** Client applications that asked for credentials which are not revoked, in the order of their ids. */
export async function listCredentialClients(db: Queryable, after: string, limit: number): Promise<string[]> {
  return clientRows.parse(await queryRows(db, LIST_CLIENTS, [after, limit])).map(({ clientId }) => clientId);
}

/** Deletes credentials that have expired; their entries of status lists stay. @returns the number, at most `limit` */
export async function deleteExpiredCredentials(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.verifiable_credentials WHERE id IN (
      SELECT id FROM token_gating.verifiable_credentials WHERE expires_at <= now() LIMIT $1
    ) RETURNING id`;
  return (await queryRows(db, sql, [limit])).length;
}

/** @returns the number of deleted nonces, at most `limit` */
export async function deleteExpiredNonces(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.used_credential_nonces WHERE nonce IN (
      SELECT nonce FROM token_gating.used_credential_nonces WHERE expires_at <= now() LIMIT $1
    ) RETURNING nonce`;
  return (await queryRows(db, sql, [limit])).length;
}
