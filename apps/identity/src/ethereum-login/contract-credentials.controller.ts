import { Internal, onlyFor } from '@app/auth';
import {
  type EthereumCredentialAnswer,
  ethereumCredentialAnswer,
  type EthereumCredentialQuestion,
  ethereumCredentialQuestion,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { EthereumCredentials } from './ethereum-credentials.js';

/** What the gateway asks about credentials of contract accounts: it has no nodes. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('gateway'))
@Controller('internal/ethereum-credentials')
export class ContractCredentialsController {
  constructor(private readonly credentials: EthereumCredentials) {}

  @Post()
  @Returns(ethereumCredentialAnswer)
  async check(
    @Body({ schema: ethereumCredentialQuestion }) question: EthereumCredentialQuestion,
  ): Promise<EthereumCredentialAnswer> {
    return { isValid: await this.credentials.isSigned(question) };
  }
}
