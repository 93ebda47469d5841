import { formatTimestampSql } from '@app/database';
import { MAX_WALLETS_PER_USER } from '@app/dto';
import { z } from 'zod';

/**
 * By itself and first: the statement after it sees what the one before us did. Whoever changes a user's wallets has it, so
 * that they are counted, ordered and told as they come to be.
 */
export const LOCK_USER = 'SELECT 1 FROM identity.users WHERE id = $1 FOR NO KEY UPDATE';

/** One row: whether the user had it, and since when the user has it if that is now. */
export const INSERT_WALLET = `
  WITH mine AS (SELECT wallet_key FROM identity.wallet_connections WHERE user_id = $2),
  added AS (
    INSERT INTO identity.wallet_connections
      (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, created_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp()
    WHERE NOT EXISTS (SELECT FROM mine WHERE wallet_key = $3) AND (SELECT count(*) FROM mine) < ${MAX_WALLETS_PER_USER}
    RETURNING created_at
  )
  SELECT EXISTS (SELECT FROM mine WHERE wallet_key = $3) AS "isKnown",
    (SELECT ${formatTimestampSql('created_at')} FROM added) AS at`;

export const insertedWalletRow = z.tuple([z.object({ isKnown: z.boolean(), at: z.string().nullable() })]);

/** $2: an address as it is stored, or null; $3: keys of wallets, or null; both null: all. */
export const DELETE_WALLETS = `
  WITH gone AS (
    DELETE FROM identity.wallet_connections
    WHERE user_id = $1 AND ($2::text IS NULL OR address = $2)
      AND ($3::text[] IS NULL OR wallet_key = ANY ($3::text[]))
    RETURNING account_id
  )
  SELECT account_id AS "accountId", ${formatTimestampSql('clock_timestamp()')} AS at FROM gone`;

export const deletedWalletRows = z.array(z.object({ accountId: z.string(), at: z.string() }));

export const HAS_WALLET = 'SELECT 1 FROM identity.wallet_connections WHERE user_id = $1 AND wallet_key = $2';
