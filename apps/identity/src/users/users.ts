import { randomBytes } from 'node:crypto';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { USER_COLUMNS, type UserRecord, userRecord } from './user-record.js';
import { userOf, type Wallet, walletsNamed } from './wallet.js';

const FIND = `SELECT ${USER_COLUMNS} FROM identity.users WHERE id = $1`;

const INSERT_USER = `
  INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

const INSERT_WALLET = `
  INSERT INTO identity.wallet_connections
    (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`;

const found = z.array(userRecord).max(1);

const newConnectionId = () => `wallet_${toBase62(randomBytes(12), 17)}`;

/** Users and the wallets that they have. */
@Injectable()
export class Users {
  constructor(private readonly database: Database) {}

  async find(id: string): Promise<UserRecord | undefined> {
    const [user] = found.parse(await this.database.query(FIND, [id]));
    return user;
  }

  /** The user that a wallet proves to be, known from now on. @returns the user's id */
  async signIn(wallet: Wallet): Promise<string> {
    const id = userOf(wallet);
    const { platform, key, address, accountId, type, chainId } = wallet;
    await this.database.transaction(async (manager) => {
      await manager.query(INSERT_USER, [id, platform, key]);
      const connection = [newConnectionId(), id, key, address, accountId, platform, type, chainId];
      await manager.query(INSERT_WALLET, connection);
    });
    return id;
  }

  /**
   * The user that a request speaks for, known from now on. Ethereum credentials prove a wallet to the gateway alone, so
   * nobody may have heard of it here.
   * @param account the wallet that signed in, CAIP-10
   */
  async present({ id, account }: { id: string; account?: string }): Promise<UserRecord | undefined> {
    const known = await this.find(id);
    if (known || account === undefined) return known;
    const wallet = walletsNamed(account).find((one) => userOf(one) === id);
    if (!wallet) return undefined;
    await this.signIn(wallet);
    return this.find(id);
  }
}
