import { Database } from '@app/database';
import type { HeldWallet, WalletsAnswer } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { HELD, walletRows } from './wallet-rows.js';

const WALLETS = `
  SELECT user_id AS "userId", ${HELD} FROM identity.wallet_connections
  WHERE user_id = ANY ($1::text[]) ORDER BY user_id, created_at, id`;

/** What many users have, at once. */
@Injectable()
export class HeldWallets {
  constructor(private readonly database: Database) {}

  async of(userIds: readonly string[]): Promise<WalletsAnswer> {
    const users = new Map<string, HeldWallet[]>();
    for (const { userId, ...wallet } of walletRows.parse(await this.database.query(WALLETS, [userIds]))) {
      const held = users.get(userId);
      if (held) held.push(wallet);
      else users.set(userId, [wallet]);
    }
    return { users: [...users].map(([userId, wallets]) => ({ userId, wallets })) };
  }
}
