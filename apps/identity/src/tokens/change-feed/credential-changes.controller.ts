import { allowOnlyServices, Internal } from '@app/auth';
import { type CredentialChanges, credentialChanges, credentialChangesQuery } from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CredentialChangesService } from './credential-changes.service.js';

/** The change feed that gateways poll to invalidate their credential caches. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/credentials/changes')
export class CredentialChangesController {
  constructor(private readonly feed: CredentialChangesService) {}

  @Get()
  @Returns(credentialChanges)
  list(@Query({ schema: credentialChangesQuery }) { after }: { after: number }): Promise<CredentialChanges> {
    return this.feed.listAfter(after);
  }
}
