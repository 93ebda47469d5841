import { formatTimestampSql } from '@app/database';
import { MAX_WALLETS_PER_USER } from '@app/dto';
import { z } from 'zod';

/**
 * Serialises changes to a user's wallets, so that the limit holds and events are published in order. A statement of its own,
 * so that the next one's snapshot includes what the previous lock holder wrote.
 */
export const LOCK_USER = 'SELECT 1 FROM identity.users WHERE id = $1 FOR NO KEY UPDATE';

/** Returns one row: whether the wallet was linked before, and its creation time when it is new. */
export const INSERT_WALLET = `
  WITH linked AS (SELECT wallet_key FROM identity.wallet_connections WHERE user_id = $2),
  added AS (
    INSERT INTO identity.wallet_connections
      (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, created_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp()
    WHERE NOT EXISTS (SELECT FROM linked WHERE wallet_key = $3) AND (SELECT count(*) FROM linked) < ${MAX_WALLETS_PER_USER}
    RETURNING created_at
  )
  SELECT EXISTS (SELECT FROM linked WHERE wallet_key = $3) AS "isKnown",
    (SELECT ${formatTimestampSql('created_at')} FROM added) AS at`;

export const insertedWalletRow = z.tuple([z.object({ isKnown: z.boolean(), at: z.string().nullable() })]);

/** $2: a stored address or null; $3: wallet keys or null. Deletes all wallets when both are null. */
export const DELETE_WALLETS = `
  WITH deleted AS (
    DELETE FROM identity.wallet_connections
    WHERE user_id = $1 AND ($2::text IS NULL OR address = $2)
      AND ($3::text[] IS NULL OR wallet_key = ANY ($3::text[]))
    RETURNING account_id
  )
  SELECT account_id AS "accountId", ${formatTimestampSql('clock_timestamp()')} AS at FROM deleted`;

export const deletedWalletRows = z.array(z.object({ accountId: z.string(), at: z.string() }));

export const HAS_WALLET = 'SELECT 1 FROM identity.wallet_connections WHERE user_id = $1 AND wallet_key = $2';
