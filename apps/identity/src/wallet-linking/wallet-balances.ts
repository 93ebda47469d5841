import type { BalancesAnswer } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { TokenGatingClient } from '../token-gating/token-gating-client.js';
import type { Wallet } from '../users/wallet.js';

/** What a wallet holds, as far as token-gating says it in time: a link does not depend on it. */
@Injectable()
export class WalletBalances {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly context: ServiceContext,
  ) {}

  async of({ accountId, type }: Wallet): Promise<BalancesAnswer['accounts']> {
    try {
      return (await this.tokenGating.balances({ accountId, isContract: type === 'contract' })).accounts;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.context.logger.warn({ reason }, 'the balances of a linked wallet are not known');
      return [];
    }
  }
}
