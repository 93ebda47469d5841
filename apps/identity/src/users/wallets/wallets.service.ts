import { notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { WalletConnectionsService } from './wallet-connections.service.js';
import { parseWalletSelection } from './parse-wallet-selection.js';

const walletNotFound = () => notFound('wallet_not_found', 'You have no wallet with this address.');

/** Removes wallets of users. */
@Injectable()
export class WalletsService {
  constructor(
    private readonly database: Database,
    private readonly connections: WalletConnectionsService,
  ) {}

  /** @param text an address or a CAIP-10 id. @throws AppError 404 when the user has no such wallet */
  async remove(userId: string, text: string): Promise<void> {
    const selection = parseWalletSelection(text);
    const removed = await this.database.transaction((manager) =>
      this.connections.unlink(manager, userId, selection),
    );
    if (removed === 0) throw walletNotFound();
  }

  async removeAll(userId: string): Promise<void> {
    await this.database.transaction((manager) => this.connections.unlink(manager, userId, 'all'));
  }
}
