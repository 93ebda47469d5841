import {
  type FindRevokedTokensRequest,
  findRevokedTokensRequest,
  type FindRevokedTokensResponse,
  findRevokedTokensResponse,
  type RevokedTokensPage,
  revokedTokensPage,
  type RevokedTokensQuery,
  revokedTokensQuery,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Get, Post, Query } from '@nestjs/common';
import { RevocationsService } from './revocations.service.js';

/** The full list of revoked tokens, which a gateway loads before it follows the change feed, and single ones. */
@InternalController('internal/credentials/revoked-tokens', 'gateway')
export class RevokedTokensController {
  constructor(private readonly revocations: RevocationsService) {}

  @Get()
  @Returns(revokedTokensPage)
  list(@Query({ schema: revokedTokensQuery }) { after }: RevokedTokensQuery): Promise<RevokedTokensPage> {
    return this.revocations.listRevoked(after);
  }

  @Post()
  @Returns(findRevokedTokensResponse)
  find(
    @Body({ schema: findRevokedTokensRequest }) { ids }: FindRevokedTokensRequest,
  ): Promise<FindRevokedTokensResponse> {
    return this.revocations.findRevoked(ids);
  }
}
