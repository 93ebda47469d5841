import { Internal, allowOnlyServices } from '@app/auth';
import {
  type CredentialResponse,
  type CredentialChanges,
  type CredentialRequest,
  credentialResponse,
  credentialChanges,
  credentialChangesQuery,
  credentialRequest,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CredentialChangesService } from '../../tokens/change-feed/credential-changes.service.js';
import { ApiKeyQueries } from './api-key.queries.js';

/** What the gateway asks about API keys. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/credentials')
export class CredentialsController {
  constructor(
    private readonly lookup: ApiKeyQueries,
    private readonly feed: CredentialChangesService,
  ) {}

  @Post()
  @Returns(credentialResponse)
  find(@Body({ schema: credentialRequest }) { apiKey }: CredentialRequest): Promise<CredentialResponse> {
    return this.lookup.findApiKey(apiKey);
  }

  @Get('changes')
  @Returns(credentialChanges)
  changes(
    @Query({ schema: credentialChangesQuery }) { after }: { after: number },
  ): Promise<CredentialChanges> {
    return this.feed.listAfter(after);
  }
}
