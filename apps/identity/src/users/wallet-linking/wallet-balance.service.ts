import { formatErrorReason } from '@app/common';
import type { BalancesResponse } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import type { Wallet } from '../wallets/wallet.js';

/** Balances of a newly linked wallet. Best effort: linking succeeds without them. */
@Injectable()
export class WalletBalanceService {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly context: ServiceContext,
  ) {}

  /** @param tenantId whose share of the chain reads they take */
  async loadBalances({ accountId, type }: Wallet, tenantId: string): Promise<BalancesResponse['accounts']> {
    const isContract = type === 'contract';
    try {
      return (await this.tokenGating.loadBalances({ accountId, isContract, tenantId })).accounts;
    } catch (error) {
      this.context.logger.warn(
        { reason: formatErrorReason(error) },
        'balances of a linked wallet could not be loaded',
      );
      return [];
    }
  }
}
