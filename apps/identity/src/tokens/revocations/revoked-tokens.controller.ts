import { Internal, allowOnlyServices } from '@app/auth';
import {
  type RevokedTokensPage,
  revokedTokensPage,
  type RevokedTokensQuery,
  revokedTokensQuery,
} from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RevocationsService } from './revocations.service.js';

/** The full list of revoked tokens, which a gateway loads before it follows the change feed. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/credentials/revoked-tokens')
export class RevokedTokensController {
  constructor(private readonly revocations: RevocationsService) {}

  @Get()
  @Returns(revokedTokensPage)
  list(@Query({ schema: revokedTokensQuery }) { after }: RevokedTokensQuery): Promise<RevokedTokensPage> {
    return this.revocations.listRevoked(after);
  }
}
