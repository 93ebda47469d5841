import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import { Operation, ReturnsNothing, InternalController, Returns } from '@app/service';
import { Body, Controller, Post } from '@nestjs/common';
import { type CredentialRevocationRequest, credentialRevocationRequest } from '../ethereum-login.dto.js';
import { UserCredentialService } from './user-credential.service.js';
import {
  type EthereumCredentialResponse,
  ethereumCredentialResponse,
  type EthereumCredentialRequest,
  ethereumCredentialRequest,
} from '@app/dto';
import { EthereumCredentialService } from './ethereum-credential.service.js';

/** Revocation of the signed-in user's Ethereum credentials. They are not stored, so there is no list of them. */
@Controller('ethereum-login/credentials')
export class EthereumCredentialController {
  constructor(private readonly credentials: UserCredentialService) {}

  @Post('revocations')
  @Operation({
    caller: 'user',
    scope: '$public',
    summary: 'Revoke an Ethereum credential',
    description:
      '404 `credential_not_found`: the user did not sign it. The request may be authenticated with the same credential.',
    example: { status: 404, reason: 'the credential is made up' },
    errors: ['404 credential_not_found', '429 revocation_limit_exceeded'],
  })
  @ReturnsNothing()
  async revokeCredential(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: credentialRevocationRequest }) { credential }: CredentialRevocationRequest,
  ): Promise<void> {
    await this.credentials.revoke(requireSignedInUser(principal).id, credential);
  }
}

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
