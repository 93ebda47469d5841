import { Caller, type Principal, signedInUser } from '@app/auth';
import { Operation } from '@app/service';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { type CredentialRevocation, credentialRevocation } from './credential-revocation.dto.js';
import { OwnSignedCredentials } from './own-signed-credentials.js';

/** Ethereum credentials of the signed-in user. Nobody keeps a list of them: whoever has one can have it ended. */
@Controller('ethereum-login/credentials')
export class EthereumCredentialController {
  constructor(private readonly credentials: OwnSignedCredentials) {}

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
    @Caller() caller: Principal,
    @Body({ schema: credentialRevocation }) { credential }: CredentialRevocation,
  ): Promise<void> {
    await this.credentials.end(signedInUser(caller).id, credential);
  }
}
