import { Internal, allowOnlyServices } from '@app/auth';
import { Database } from '@app/database';
import {
  type ClientPlansResponse,
  clientPlansResponse,
  type ClientPlansRequest,
  clientPlansRequest,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { findClientPlans } from '../entities/client-applications.queries.js';

/**
 * Plans by client id: for gateways, about requests without an API key, and for token-gating, about work that no request
 * started.
 */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway', 'token-gating'))
@Controller('internal/client-plans')
export class ClientPlansController {
  constructor(private readonly database: Database) {}

  @Post()
  @Returns(clientPlansResponse)
  find(
    @Body({ schema: clientPlansRequest }) { clientIds }: ClientPlansRequest,
  ): Promise<ClientPlansResponse> {
    return findClientPlans(this.database, clientIds);
  }
}
