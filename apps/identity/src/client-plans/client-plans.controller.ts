import { Internal, onlyFor } from '@app/auth';
import {
  type ClientPlansAnswer,
  clientPlansAnswer,
  type ClientPlansQuestion,
  clientPlansQuestion,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ClientPlanLookup } from './client-plan-lookup.js';

/**
 * What the gateway asks about requests that came without a key: with a token, or by another door than its own; and
 * token-gating, about work that no request began.
 */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('gateway', 'token-gating'))
@Controller('internal/client-plans')
export class ClientPlansController {
  constructor(private readonly lookup: ClientPlanLookup) {}

  @Post()
  @Returns(clientPlansAnswer)
  find(
    @Body({ schema: clientPlansQuestion }) { clientIds }: ClientPlansQuestion,
  ): Promise<ClientPlansAnswer> {
    return this.lookup.find(clientIds);
  }
}
