import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { USER_COLUMNS, type UserRecord, userRecord } from './user-record.js';
import { toUserId, type Wallet, parseCandidateWallets } from './wallets/wallet.js';
import { WalletConnectionsService } from './wallets/wallet-connections.service.js';
import { HAS_WALLET } from './wallets/wallet-connection.queries.js';

const FIND = `SELECT ${USER_COLUMNS} FROM identity.users WHERE id = $1`;

const INSERT_USER = `
  INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

const userRows = z.array(userRecord).max(1);

/** Users and the wallets that they have. */
@Injectable()
export class UsersService {
  constructor(
    private readonly database: Database,
    private readonly connections: WalletConnectionsService,
  ) {}

  async find(id: string): Promise<UserRecord | undefined> {
    const [user] = userRows.parse(await this.database.query(FIND, [id]));
    return user;
  }

  /**
   * The user that a wallet proves to be, known from now on, and with this wallet, also if it was removed in the meantime.
   * Who has as many wallets as one may have signs in all the same, without it.
   * @returns the user's id
   */
  async signIn(wallet: Wallet): Promise<string> {
    const id = toUserId(wallet);
    const { platform, key } = wallet;
    // Nearly always: nobody has to wait for a lock then.
    if ((await this.database.query(HAS_WALLET, [id, key])).length > 0) return id;
    await this.database.transaction(async (manager) => {
      await queryRows(manager, INSERT_USER, [id, platform, key]);
      await this.connections.link(manager, id, wallet);
    });
    return id;
  }

  /**
   * The user that a request speaks for, known from now on. Ethereum credentials prove a wallet to the gateway alone, so
   * nobody may have heard of it here.
   * @param account the wallet that signed in, CAIP-10
   */
  async findOrCreate({ id, account }: { id: string; account?: string }): Promise<UserRecord | undefined> {
    const known = await this.find(id);
    if (known || account === undefined) return known;
    const wallet = parseCandidateWallets(account).find((one) => toUserId(one) === id);
    if (!wallet) return undefined;
    await this.signIn(wallet);
    return this.find(id);
  }
}
