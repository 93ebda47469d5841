import { type Queryable, queryRows } from '@app/database';

/** Invalidates all asset claims of a user: their links and tokens are verified by their rows. */
export async function deleteAssetClaims(db: Queryable, userId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM token_gating.asset_claims WHERE user_id = $1', [userId]);
}
