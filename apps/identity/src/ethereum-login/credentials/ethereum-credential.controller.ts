import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import { Operation } from '@app/service';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { type CredentialRevocationRequest, credentialRevocationRequest } from '../ethereum-login.dto.js';
import { UserCredentialService } from './user-credential.service.js';

/** Ethereum credentials of the signed-in user. Nobody keeps a list of them: whoever has one can have it ended. */
@Controller('ethereum-login/credentials')
export class EthereumCredentialController {
  constructor(private readonly credentials: UserCredentialService) {}

  @Post('revocations')
  @Operation({
    caller: 'user',
    scope: '$public',
    summary: 'End an Ethereum credential before its time',
    description:
      '404 `credential_not_found`: the user did not sign it. The credential itself may be the one that asks.',
  })
  @HttpCode(200)
  @ApiOkResponse()
  async revokeCredential(
    @CurrentPrincipal() caller: Principal,
    @Body({ schema: credentialRevocationRequest }) { credential }: CredentialRevocationRequest,
  ): Promise<void> {
    await this.credentials.revoke(requireSignedInUser(caller).id, credential);
  }
}
