import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { findUser, insertUser, type UserRecord } from './users.queries.js';
import { hasWallet } from './wallets/wallet-connections.queries.js';
import { toAccountOwner, WalletConnectionsService } from './wallets/wallet-connections.service.js';
import { parseCandidateWallets, toUserId, type Wallet } from './wallets/wallet.js';

/** Users, and the wallets that they sign in with. */
@Injectable()
export class UsersService {
  constructor(
    private readonly database: Database,
    private readonly connections: WalletConnectionsService,
  ) {}

  find(id: string): Promise<UserRecord | undefined> {
    return findUser(this.database, id);
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
    if (await hasWallet(this.database, id, key)) return id;
    await this.database.transaction(async (manager) => {
      await insertUser(manager, id, platform, key);
      await this.connections.link(manager, toAccountOwner(id), wallet);
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
