import { formatTimestampSql, type Queryable, queryRows, Database } from '@app/database';
import { type WalletLink, walletLink } from '@app/dto';
import { z } from 'zod';
import { MINUTE_MS } from '@app/common';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';

/** Links are remembered for longer than jobs wait for an unavailable app. */
const REMEMBERED_FOR = '7 days';

/** Bounds the answer: a user may unlink any number of wallets. */
const MAX_UNLINKED_PER_USER = 100;

const linkRows = z.array(
  walletLink.extend({
    userId: z.string(),
    unlinkedAt: z
      .string()
      .nullable()
      .transform((time) => time ?? undefined),
  }),
);

const FIND_LINKS = `
  SELECT link.user_id AS "userId", link.account_id AS "accountId", ${formatTimestampSql('link.linked_at')} AS "linkedAt",
    ${formatTimestampSql('link.unlinked_at')} AS "unlinkedAt"
  FROM unnest($1::text[]) AS wanted (user_id) CROSS JOIN LATERAL (
    SELECT user_id, account_id, created_at AS linked_at, NULL::timestamptz AS unlinked_at
    FROM identity.wallet_connections WHERE user_id = wanted.user_id AND community_id IN ('', $2)
    UNION ALL
    (SELECT user_id, account_id, linked_at, unlinked_at FROM identity.unlinked_wallets
     WHERE user_id = wanted.user_id AND community_id IN ('', $2)
     ORDER BY unlinked_at DESC LIMIT ${MAX_UNLINKED_PER_USER})
  ) AS link
  ORDER BY link.user_id, link.linked_at`;

/**
 * Finds out when the wallets of users that count in a community were linked, and when those whose link ended in the
 * last days were unlinked.
 */
export async function findWalletLinks(
  db: Queryable,
  userIds: readonly string[],
  communityId: string,
): Promise<ReadonlyMap<string, WalletLink[]>> {
  const users = new Map<string, WalletLink[]>();
  const rows = linkRows.parse(await queryRows(db, FIND_LINKS, [[...new Set(userIds)], communityId]));
  for (const { userId, ...link } of rows) {
    const links = users.get(userId);
    if (links) links.push(link);
    else users.set(userId, [link]);
  }
  return users;
}

/** @returns how many rows were deleted, at most `limit` */
export async function forgetUnlinkedWallets(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM identity.unlinked_wallets WHERE id IN (
      SELECT id FROM identity.unlinked_wallets WHERE unlinked_at < now() - interval '${REMEMBERED_FOR}'
      ORDER BY unlinked_at LIMIT $1
    ) RETURNING id`;
  return (await queryRows(db, sql, [limit])).length;
}

const SWEEP_INTERVAL_MS = MINUTE_MS;
const MAX_ROWS = 1_000;

/** Forgets wallets that were unlinked some days ago. */
@Injectable()
export class UnlinkedWalletsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    const sweep = async (): Promise<boolean> =>
      (await forgetUnlinkedWallets(database, MAX_ROWS)) === MAX_ROWS;
    super(context, [{ name: 'forget unlinked wallets', sweep }], SWEEP_INTERVAL_MS);
  }
}
