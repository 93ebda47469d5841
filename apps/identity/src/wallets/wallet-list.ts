import { PageTokens } from '@app/common';
import { Database } from '@app/database';
import { DEFAULT_PAGE, userPlatform } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isoTime } from '../database/iso-time.js';
import type { WalletConnectionPage } from './wallet-connection.dto.js';

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly paginationToken?: string | undefined;
}

/** One more than asked for, to know whether there are more. */
const PAGE = `
  SELECT id, created_at AS "createdTime", address, account_id AS "accountId", user_id AS "userId", platform,
    wallet_type AS "walletType", chain_id AS "chainId", metadata, ${isoTime('created_at')} AS at
  FROM identity.wallet_connections
  WHERE user_id = $1 AND (created_at, id) > ($2::timestamptz, $3)
  ORDER BY created_at, id LIMIT $4`;

/** Before all that there is. */
const BEGINNING = ['-infinity', ''] as const;

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
    /** With microseconds: pages go on where they stopped. */
    at: z.string(),
  }),
);

/** A user's wallets, page by page, in the order in which they came. */
@Injectable()
export class WalletList {
  constructor(
    private readonly database: Database,
    private readonly tokens: PageTokens,
  ) {}

  /** @throws AppError 400 for a token that is not of this user's list */
  async page(
    userId: string,
    { limit = DEFAULT_PAGE, paginationToken }: PageQuery,
  ): Promise<WalletConnectionPage> {
    const list = { list: 'wallets', caller: userId };
    const after = this.tokens.read(list, paginationToken) ?? BEGINNING;
    const found = rows.parse(await this.database.query(PAGE, [userId, ...after, limit + 1]));
    const items = found.slice(0, limit);
    const last = items.at(-1);
    if (found.length <= limit || !last) return { items };
    return { items, paginationToken: this.tokens.write(list, [last.at, last.id]) };
  }
}
