import { type CredentialChanges, credentialChanges, credentialChangesQuery } from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Get, Query } from '@nestjs/common';
import { CredentialChangesService } from './credential-changes.service.js';

/** The change feed that gateways poll to invalidate their credential caches. */
@InternalController('internal/credentials/changes', 'gateway')
export class CredentialChangesController {
  constructor(private readonly feed: CredentialChangesService) {}

  @Get()
  @Returns(credentialChanges)
  list(@Query({ schema: credentialChangesQuery }) { after }: { after: number }): Promise<CredentialChanges> {
    return this.feed.listAfter(after);
  }
}
