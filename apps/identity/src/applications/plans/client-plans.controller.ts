import { Internal, allowOnlyServices } from '@app/auth';
import {
  type ClientPlansResponse,
  clientPlansResponse,
  type ClientPlansRequest,
  clientPlansRequest,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ClientPlanQueries } from './client-plan.queries.js';

/**
 * What the gateway asks about requests that came without a key: with a token, or by another door than its own; and
 * token-gating, about work that no request began.
 */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway', 'token-gating'))
@Controller('internal/client-plans')
export class ClientPlansController {
  constructor(private readonly lookup: ClientPlanQueries) {}

  @Post()
  @Returns(clientPlansResponse)
  find(
    @Body({ schema: clientPlansRequest }) { clientIds }: ClientPlansRequest,
  ): Promise<ClientPlansResponse> {
    return this.lookup.findPlans(clientIds);
  }
}
