import { Internal, allowOnlyServices } from '@app/auth';
import {
  type EthereumCredentialResponse,
  ethereumCredentialResponse,
  type EthereumCredentialRequest,
  ethereumCredentialRequest,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { EthereumCredentialService } from './ethereum-credential.service.js';

/** Checks credentials of contract wallets for the gateway, which has no nodes. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/ethereum-credentials')
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
