import { Internal, onlyFor } from '@app/auth';
import {
  type CredentialAnswer,
  type CredentialChanges,
  type CredentialQuestion,
  credentialAnswer,
  credentialChanges,
  credentialChangesQuery,
  credentialQuestion,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ChangeFeed } from './change-feed.js';
import { CredentialLookup } from './credential-lookup.js';

/** What the gateway asks about API keys. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('gateway'))
@Controller('internal/credentials')
export class CredentialsController {
  constructor(
    private readonly lookup: CredentialLookup,
    private readonly feed: ChangeFeed,
  ) {}

  @Post()
  @Returns(credentialAnswer)
  find(@Body({ schema: credentialQuestion }) { apiKey }: CredentialQuestion): Promise<CredentialAnswer> {
    return this.lookup.find(apiKey);
  }

  @Get('changes')
  @Returns(credentialChanges)
  changes(
    @Query({ schema: credentialChangesQuery }) { after }: { after: number },
  ): Promise<CredentialChanges> {
    return this.feed.after(after);
  }
}
