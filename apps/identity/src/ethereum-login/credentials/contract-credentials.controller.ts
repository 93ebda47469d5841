import {
  type EthereumCredentialResponse,
  ethereumCredentialResponse,
  type EthereumCredentialRequest,
  ethereumCredentialRequest,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { EthereumCredentialService } from './ethereum-credential.service.js';

/** Checks credentials of contract wallets for the gateway, which has no nodes. */
@InternalController('internal/ethereum-credentials', 'gateway')
export class ContractCredentialsController {
  constructor(private readonly credentials: EthereumCredentialService) {}

  @Post()
  @Returns(ethereumCredentialResponse)
  async check(
    @Body({ schema: ethereumCredentialRequest }) request: EthereumCredentialRequest,
  ): Promise<EthereumCredentialResponse> {
    return { isValid: await this.credentials.isValidSignature(request) };
  }
}
