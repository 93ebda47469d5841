import { Operation, Returns } from '@app/service';
import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiProduces } from '@nestjs/swagger';
import {
  type CredentialIssuerMetadata,
  credentialIssuerMetadata,
  type CredentialTypeMetadata,
  credentialTypeMetadata,
  statusListParams,
  statusListToken,
  typeParams,
} from './credential-issuer.dto.js';
import { createTypeMetadata, type CredentialType } from './credential-types.js';
import { CredentialKeyRing } from './keys/credential-key-ring.js';
import { StatusListsService } from './status/status-lists.service.js';
import { VerifiableCredentialConfig } from './verifiable-credential.config.js';

/** Far below the day that a key is published before it signs. */
const CACHE_CONTROL = 'public, max-age=300';
/** A list changes every five minutes, at any time after it was asked for. */
const STATUS_CACHE_CONTROL = 'public, max-age=60';

/** What verifiers of credentials need: the keys of the issuer, its types, and its status lists. */
@Controller()
export class CredentialIssuerController {
  constructor(
    private readonly keys: CredentialKeyRing,
    private readonly statusLists: StatusListsService,
    private readonly config: VerifiableCredentialConfig,
  ) {}

  @Get('.well-known/jwt-vc-issuer')
  @Header('Cache-Control', CACHE_CONTROL)
  @Operation({
    caller: 'none',
    summary: 'The issuer of verifiable credentials and its keys',
    errors: ['503 credential_keys_unavailable'],
  })
  @Returns(credentialIssuerMetadata)
  getIssuer(): CredentialIssuerMetadata {
    return { issuer: this.config.PUBLIC_URL, jwks: { keys: this.keys.getPublicKeys() } };
  }

  @Get('credential-types/:type')
  @Header('Cache-Control', CACHE_CONTROL)
  @Operation({ caller: 'none', summary: 'The metadata of a type of verifiable credentials' })
  @Returns(credentialTypeMetadata)
  getType(@Param({ schema: typeParams }) { type }: { type: CredentialType }): CredentialTypeMetadata {
    return createTypeMetadata(this.config.PUBLIC_URL, type);
  }

  @Get('credential-status-lists/:list')
  @Header('Cache-Control', STATUS_CACHE_CONTROL)
  @Header('Content-Type', 'application/statuslist+jwt')
  @ApiProduces('application/statuslist+jwt')
  @Operation({
    caller: 'none',
    summary: 'A status list of verifiable credentials',
    description: 'A signed Token Status List, published every five minutes.',
    errors: ['404 status_list_not_found', '503 credential_keys_unavailable'],
  })
  @Returns(statusListToken)
  getStatusList(@Param({ schema: statusListParams }) { list }: { list: number }): Promise<string> {
    return this.statusLists.publish(list);
  }
}
