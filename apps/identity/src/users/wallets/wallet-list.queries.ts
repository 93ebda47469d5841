import type { Principal } from '@app/auth';
import { Database, formatTimestampSql } from '@app/database';
import { type PageQuery, userPlatform } from '@app/dto';
import { FIRST_SORT_KEY, type Page, PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const PAGE = `
  SELECT id, created_at AS "createdTime", address, account_id AS "accountId", user_id AS "userId", platform,
    wallet_type AS "walletType", chain_id AS "chainId", metadata, ${formatTimestampSql('created_at')} AS at
  FROM identity.wallet_connections
  WHERE user_id = $1 AND (created_at, id) > ($2::timestamptz, $3)
  ORDER BY created_at, id LIMIT $4`;

const rows = z.array(
  z.object({
    id: z.string(),
    createdTime: z.date().transform((date) => date.toISOString()),
    address: z.string(),
    accountId: z.string(),
    userId: z.string(),
    platform: userPlatform,
    walletType: z.string(),
    chainId: z.string(),
    metadata: z.looseObject({}),
    /** With microseconds, as the sort key of pages needs. */
    at: z.string(),
  }),
);

type WalletRow = z.output<typeof rows>[number];

/** Pages of a user's wallets, oldest first. */
@Injectable()
export class WalletListQueries {
  constructor(
    private readonly database: Database,
    private readonly pages: PaginationService,
  ) {}

  /** @throws AppError 400 for a pagination token of another list or user */
  findPage(userId: string, caller: Principal, query: PageQuery): Promise<Page<WalletRow>> {
    return this.pages.paginate({
      list: 'wallets',
      principal: caller,
      query,
      load: async ({ after = FIRST_SORT_KEY, rowLimit }) =>
        rows.parse(await this.database.query(PAGE, [userId, ...after, rowLimit])),
      toSortKey: ({ at, id }) => [at, id],
    });
  }
}
