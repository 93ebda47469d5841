import { Injectable } from '@nestjs/common';
import { solanaPolicyForbidden } from '../messages/solana-message.errors.js';
import { type SolanaSponsor, SolanaSponsorConfig } from '../messages/solana-sponsor.config.js';
import type { SolanaTransaction } from '../messages/transaction/solana-transaction.js';
import { SponsoringService } from '../../policies/sponsoring/sponsoring.service.js';
import type { SolanaNetwork } from '../solana-network.js';

/** Says whose transactions the sponsor of a network pays for. */
@Injectable()
export class TransactionSponsorService {
  constructor(
    private readonly sponsors: SolanaSponsorConfig,
    private readonly sponsoring: SponsoringService,
  ) {}

  /**
   * The sponsor of the network, also for transactions that name it nowhere.
   * @throws AppError 403 if it is to pay for an application for which it does not
   */
  async find(
    {
      network,
      clientId,
      isSponsored,
    }: { readonly network: SolanaNetwork; readonly clientId: string; readonly isSponsored: boolean },
    { signers }: Pick<SolanaTransaction, 'signers'>,
  ): Promise<SolanaSponsor | undefined> {
    const sponsor = this.sponsors.find(network);
    if (sponsor === undefined || signers[0] !== sponsor.address) return sponsor;
    if (!isSponsored)
      throw solanaPolicyForbidden(
        `the policy of your client application has no sponsor on the network ${network}`,
      );
    await this.sponsoring.checkReverts(clientId);
    return sponsor;
  }
}
