import { notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { WalletConnections } from '../users/wallet-connections.js';
import { namedWallets } from './named-wallets.js';

const noSuchWallet = () => notFound('wallet_not_found', 'You have no such wallet.');

/** How users part with wallets. */
@Injectable()
export class OwnWalletsService {
  constructor(
    private readonly database: Database,
    private readonly connections: WalletConnections,
  ) {}

  /** @param text an address or a CAIP-10 id. @throws AppError 404 for one that is not the user's */
  async remove(userId: string, text: string): Promise<void> {
    const meant = namedWallets(text);
    const removed = await this.database.transaction((manager) =>
      this.connections.unlink(manager, userId, meant),
    );
    if (removed === 0) throw noSuchWallet();
  }

  async removeAll(userId: string): Promise<void> {
    await this.database.transaction((manager) => this.connections.unlink(manager, userId, 'all'));
  }
}
