import { Database } from '@app/database';
import {
  type CredentialRequest,
  credentialRequest,
  type CredentialResponse,
  credentialResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { findApiKey } from '../entities/api-keys.queries.js';
import { CredentialHasher } from './credential-issuer.js';

/** API key lookup for gateways. */
@InternalController('internal/credentials', 'gateway')
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
