import { Internal } from '@app/auth';
import { type RevokedTokens, revokedTokens } from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Revocations } from './revocations.js';

/** What the gateway asks before it follows the feed of changes. */
@Internal()
@ApiExcludeController()
@Controller('internal/credentials/revoked-tokens')
export class RevokedTokensController {
  constructor(private readonly revocations: Revocations) {}

  @Get()
  @Returns(revokedTokens)
  all(): Promise<RevokedTokens> {
    return this.revocations.all();
  }
}
