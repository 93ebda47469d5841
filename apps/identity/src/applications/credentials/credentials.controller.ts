import { allowOnlyServices, Internal } from '@app/auth';
import {
  type CredentialRequest,
  credentialRequest,
  type CredentialResponse,
  credentialResponse,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiKeyQueries } from './api-key.queries.js';

/** API key lookup for gateways. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/credentials')
export class CredentialsController {
  constructor(private readonly apiKeys: ApiKeyQueries) {}

  @Post()
  @Returns(credentialResponse)
  find(@Body({ schema: credentialRequest }) { apiKey }: CredentialRequest): Promise<CredentialResponse> {
    return this.apiKeys.findApiKey(apiKey);
  }
}
