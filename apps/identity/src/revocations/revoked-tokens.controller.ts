import { Internal, onlyFor } from '@app/auth';
import {
  type RevokedTokensPage,
  revokedTokensPage,
  type RevokedTokensQuery,
  revokedTokensQuery,
} from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Revocations } from './revocations.js';

/** What the gateway asks before it follows the feed of changes. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('gateway'))
@Controller('internal/credentials/revoked-tokens')
export class RevokedTokensController {
  constructor(private readonly revocations: Revocations) {}

  @Get()
  @Returns(revokedTokensPage)
  list(@Query({ schema: revokedTokensQuery }) { after }: RevokedTokensQuery): Promise<RevokedTokensPage> {
    return this.revocations.list(after);
  }
}
