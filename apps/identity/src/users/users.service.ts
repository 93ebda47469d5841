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

/** Users, and the wallets that they sign in with. */
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
   * Stores the wallet's user if necessary, and links the wallet again if it was removed. At the wallet limit the sign-in
   * succeeds without linking.
   * @returns the user's id
   */
  async signIn(wallet: Wallet): Promise<string> {
    const id = toUserId(wallet);
    const { platform, key } = wallet;
    // The common case takes no lock.
    if ((await this.database.query(HAS_WALLET, [id, key])).length > 0) return id;
    await this.database.transaction(async (manager) => {
      await queryRows(manager, INSERT_USER, [id, platform, key]);
      await this.connections.link(manager, id, wallet);
    });
    return id;
  }

  /**
   * Finds a user, or stores the one that signed in with `account`. Only the gateway verifies Ethereum credentials, so
   * a request can be the first that identity receives for a user.
   * @param account the wallet that signed in, CAIP-10
   */
  async findOrCreate({ id, account }: { id: string; account?: string }): Promise<UserRecord | undefined> {
    const known = await this.find(id);
    if (known || account === undefined) return known;
    const wallet = parseCandidateWallets(account).find((candidate) => toUserId(candidate) === id);
    if (!wallet) return undefined;
    await this.signIn(wallet);
    return this.find(id);
  }
}
