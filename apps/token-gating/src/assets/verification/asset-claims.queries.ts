import { type Queryable, queryRows } from '@app/database';
import { type LinkedWallet, linkedWallet } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** What a user claims to own. `account` is a CAIP-10 id. */
export interface AssetClaim {
  readonly id: string;
  readonly userId: string;
  readonly wallet: LinkedWallet;
  readonly account: string;
  /** CAIP-19. */
  readonly assets: readonly string[];
  readonly socialId: string | undefined;
  readonly openseaUrl: string | undefined;
  readonly mediaUrl: string | undefined;
  /** The signature of the claim's token. */
  readonly signature: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

const claimRows = z.array(
  z
    .object({
      id: z.string(),
      userId: z.string(),
      type: linkedWallet.shape.type,
      chainId: z.string(),
      address: z.string(),
      assets: z.array(z.string()),
      socialId: optionalText,
      openseaUrl: optionalText,
      mediaUrl: optionalText,
      signature: z.string(),
      createdAt: z.date(),
      expiresAt: z.date(),
    })
    .transform(({ type, chainId, address, ...claim }): AssetClaim => {
      const wallet = { type, chainId, address };
      return { ...claim, wallet, account: toAccountId(wallet) };
    }),
);

const COLUMNS = `
  id, user_id AS "userId", wallet_type AS type, wallet_chain_id AS "chainId", wallet_address AS address, assets,
  social_id AS "socialId", opensea_url AS "openseaUrl", media_url AS "mediaUrl", signature,
  created_at AS "createdAt", expires_at AS "expiresAt"`;

/** CAIP-10. */
export const toAccountId = ({ type, chainId, address }: LinkedWallet): string =>
  `${type === 'solana' ? 'solana' : 'eip155'}:${chainId}:${address}`;

/** Inserts a claim unless its user has `maxClaims` valid ones. @returns whether it was inserted */
export async function insertClaim(
  manager: EntityManager,
  claim: AssetClaim,
  slugHash: Buffer,
  maxClaims: number,
): Promise<boolean> {
  // The lock needs a statement of its own: only later statements count what was committed before it.
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse claims of ' || $1, 0))`;
  await queryRows(manager, lock, [claim.userId]);
  const sql = `
    INSERT INTO token_gating.asset_claims
      (id, slug_hash, user_id, wallet_type, wallet_chain_id, wallet_address, assets, social_id, opensea_url, media_url,
        signature, created_at, expires_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
    WHERE (
      SELECT count(*) FROM token_gating.asset_claims WHERE user_id = $3 AND expires_at > now()
    ) < $14
    RETURNING id`;
  const { id, userId, wallet, assets, socialId, openseaUrl, mediaUrl, signature, createdAt, expiresAt } =
    claim;
  const { type, chainId, address } = wallet;
  const rows = await queryRows(manager, sql, [
    ...[id, slugHash, userId, type, chainId, address, assets],
    ...[socialId ?? null, openseaUrl ?? null, mediaUrl ?? null, signature, createdAt, expiresAt, maxClaims],
  ]);
  return rows.length > 0;
}

/** Undefined for an unknown, revoked or expired claim. */
export async function findClaim(
  db: Queryable,
  by: { readonly id: string } | { readonly slugHash: Buffer },
): Promise<AssetClaim | undefined> {
  const [column, value] = 'id' in by ? ['id', by.id] : ['slug_hash', by.slugHash];
  const sql = `SELECT ${COLUMNS} FROM token_gating.asset_claims WHERE ${column} = $1 AND expires_at > now()`;
  return claimRows.parse(await queryRows(db, sql, [value]))[0];
}

/** The valid claims of a user, the newest first. */
export async function listClaims(db: Queryable, userId: string): Promise<AssetClaim[]> {
  const sql = `
    SELECT ${COLUMNS} FROM token_gating.asset_claims
    WHERE user_id = $1 AND expires_at > now() ORDER BY created_at DESC, id`;
  return claimRows.parse(await queryRows(db, sql, [userId]));
}

/** @returns whether the user had this claim */
export async function deleteClaim(db: Queryable, userId: string, id: string): Promise<boolean> {
  const sql = 'DELETE FROM token_gating.asset_claims WHERE id = $1 AND user_id = $2 RETURNING id';
  return (await queryRows(db, sql, [id, userId])).length > 0;
}

/** @returns the number of deleted claims, at most `limit` */
export async function deleteExpiredClaims(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.asset_claims WHERE id IN (
      SELECT id FROM token_gating.asset_claims WHERE expires_at <= now() LIMIT $1
    ) RETURNING id`;
  return (await queryRows(db, sql, [limit])).length;
}
