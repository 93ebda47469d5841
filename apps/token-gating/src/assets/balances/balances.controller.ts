import { balancesResponse, type BalancesResponse, balancesRequest, type BalancesRequest } from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { WalletBalancesService } from './wallet-balances.service.js';

/** Balances of a linked wallet, for identity. */
@InternalController('internal/balances', 'identity')
export class BalancesController {
  constructor(private readonly balances: WalletBalancesService) {}

  @Post()
  @Returns(balancesResponse)
  read(@Body({ schema: balancesRequest }) request: BalancesRequest): Promise<BalancesResponse> {
    return this.balances.readBalances(request);
  }
}
