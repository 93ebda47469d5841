import { Database } from '@app/database';
import { type LinkedWallet, type WalletsResponse, linkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** Columns of identity.wallet_connections, with the field names of LinkedWallet. */
export const WALLET_COLUMNS = 'wallet_type AS type, chain_id AS "chainId", address';

const userWalletRows = z.array(linkedWallet.extend({ userId: z.string() }));

const WALLETS = `
  SELECT user_id AS "userId", ${WALLET_COLUMNS} FROM identity.wallet_connections
  WHERE user_id = ANY ($1::text[]) ORDER BY user_id, created_at, id`;

/** The wallets of many users in one statement. */
@Injectable()
export class UserWalletQueries {
  constructor(private readonly database: Database) {}

  async findByUserIds(userIds: readonly string[]): Promise<WalletsResponse> {
    const users = new Map<string, LinkedWallet[]>();
    for (const { userId, ...wallet } of userWalletRows.parse(await this.database.query(WALLETS, [userIds]))) {
      const wallets = users.get(userId);
      if (wallets) wallets.push(wallet);
      else users.set(userId, [wallet]);
    }
    return { users: [...users].map(([userId, wallets]) => ({ userId, wallets })) };
  }
}
