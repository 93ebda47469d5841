import { Database, rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { USER_COLUMNS, type UserRecord, userRecord } from './user-record.js';
import { userOf, type Wallet, walletsNamed } from './wallet.js';
import { WalletConnections } from './wallet-connections.js';
import { HAS_WALLET } from './wallet-statements.js';

const FIND = `SELECT ${USER_COLUMNS} FROM identity.users WHERE id = $1`;

const INSERT_USER = `
  INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

const found = z.array(userRecord).max(1);

/** Users and the wallets that they have. */
@Injectable()
export class Users {
  constructor(
    private readonly database: Database,
    private readonly connections: WalletConnections,
  ) {}

  async find(id: string): Promise<UserRecord | undefined> {
    const [user] = found.parse(await this.database.query(FIND, [id]));
    return user;
  }

  /**
   * The user that a wallet proves to be, known from now on, and with this wallet, also if it was removed in the meantime.
   * Who has as many wallets as one may have signs in all the same, without it.
   * @returns the user's id
   */
  async signIn(wallet: Wallet): Promise<string> {
    const id = userOf(wallet);
    const { platform, key } = wallet;
    // Nearly always: nobody has to wait for a lock then.
    if ((await this.database.query(HAS_WALLET, [id, key])).length > 0) return id;
    await this.database.transaction(async (manager) => {
      await rowsOf(manager, INSERT_USER, [id, platform, key]);
      await this.connections.link(manager, id, wallet);
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
