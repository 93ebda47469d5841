import { Internal, onlyFor } from '@app/auth';
import { balancesAnswer, type BalancesAnswer, balancesQuestion, type BalancesQuestion } from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ReadBalances } from './read-balances.js';

/** What identity tells of a wallet that was linked. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('identity'))
@Controller('internal/balances')
export class BalancesController {
  constructor(private readonly balances: ReadBalances) {}

  @Post()
  @Returns(balancesAnswer)
  read(@Body({ schema: balancesQuestion }) question: BalancesQuestion): Promise<BalancesAnswer> {
    return this.balances.read(question);
  }
}
