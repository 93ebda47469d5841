import { notFound } from '@app/common';
import { Database } from '@app/database';
import { toChecksumAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { WalletSelection } from './wallet-connections.queries.js';
import { toAccountOwner, WalletConnectionsService } from './wallet-connections.service.js';
import { parseCandidateWallets } from './wallet.js';

const walletNotFound = () => notFound('wallet_not_found', 'You have no wallet with this address.');

/** Removes wallets of users. */
@Injectable()
export class WalletRemovalService {
  constructor(
    private readonly database: Database,
    private readonly connections: WalletConnectionsService,
  ) {}

  /** @param text an address or a CAIP-10 id. @throws AppError 404 when the user has no such wallet */
  async remove(userId: string, text: string): Promise<void> {
    const selection = parseWalletSelection(text);
    const removed = await this.database.transaction((manager) =>
      this.connections.unlink(manager, toAccountOwner(userId), selection),
    );
    if (removed === 0) throw walletNotFound();
  }

  async removeAll(userId: string): Promise<void> {
    await this.database.transaction((manager) =>
      this.connections.unlink(manager, toAccountOwner(userId), 'all'),
    );
  }
}

const EVM_ADDRESS = /0x[0-9a-f]{40}$/i;

/**
 * Parses an address or a CAIP-10 id. An address selects every wallet at it, including contract wallets on several chains; a
 * CAIP-10 id selects an externally owned account on any chain and a contract wallet on its own. EVM addresses ignore case.
 */
export function parseWalletSelection(text: string): WalletSelection {
  if (!text.includes(':')) return { address: EVM_ADDRESS.test(text) ? toChecksumAddress(text) : text };
  const accountId = text.replace(EVM_ADDRESS, (address) => address.toLowerCase());
  return { keys: parseCandidateWallets(accountId).map(({ key }) => key) };
}
