import { allowOnlyServices, Internal } from '@app/auth';
import { Database } from '@app/database';
import {
  type CredentialRequest,
  credentialRequest,
  type CredentialResponse,
  credentialResponse,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { findApiKey } from '../entities/api-keys.queries.js';
import { CredentialHasher } from './credential-hasher.js';

/** API key lookup for gateways. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/credentials')
export class CredentialsController {
  constructor(
    private readonly database: Database,
    private readonly hasher: CredentialHasher,
  ) {}

  @Post()
  @Returns(credentialResponse)
  find(@Body({ schema: credentialRequest }) { apiKey }: CredentialRequest): Promise<CredentialResponse> {
    return findApiKey(this.database, this.hasher.hash(apiKey));
  }
}
