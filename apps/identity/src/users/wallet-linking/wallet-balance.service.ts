import type { BalancesResponse } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import type { Wallet } from '../wallets/wallet.js';

/** What a wallet holds, as far as token-gating says it in time: a link does not depend on it. */
@Injectable()
export class WalletBalanceService {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly context: ServiceContext,
  ) {}

  async loadBalances({ accountId, type }: Wallet): Promise<BalancesResponse['accounts']> {
    try {
      return (await this.tokenGating.loadBalances({ accountId, isContract: type === 'contract' })).accounts;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.context.logger.warn({ reason }, 'the balances of a linked wallet are not known');
      return [];
    }
  }
}
