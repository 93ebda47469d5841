import { Internal, allowOnlyServices } from '@app/auth';
import { balancesResponse, type BalancesResponse, balancesRequest, type BalancesRequest } from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { WalletBalancesService } from './wallet-balances.service.js';

/** Balances of a linked wallet, for identity. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('identity'))
@Controller('internal/balances')
export class BalancesController {
  constructor(private readonly balances: WalletBalancesService) {}

  @Post()
  @Returns(balancesResponse)
  read(@Body({ schema: balancesRequest }) request: BalancesRequest): Promise<BalancesResponse> {
    return this.balances.readBalances(request);
  }
}
