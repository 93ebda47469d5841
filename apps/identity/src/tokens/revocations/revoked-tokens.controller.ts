import {
  type RevokedTokensPage,
  revokedTokensPage,
  type RevokedTokensQuery,
  revokedTokensQuery,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Get, Query } from '@nestjs/common';
import { RevocationsService } from './revocations.service.js';

/** The full list of revoked tokens, which a gateway loads before it follows the change feed. */
@InternalController('internal/credentials/revoked-tokens', 'gateway')
export class RevokedTokensController {
  constructor(private readonly revocations: RevocationsService) {}

  @Get()
  @Returns(revokedTokensPage)
  list(@Query({ schema: revokedTokensQuery }) { after }: RevokedTokensQuery): Promise<RevokedTokensPage> {
    return this.revocations.listRevoked(after);
  }
}
