import { notBuiltYet, Operation, Returns } from '@app/service';
import { Body, Controller, Post } from '@nestjs/common';
import {
  challengeRequest,
  challengeResponse,
  idTokenRequest,
  idTokenResponse,
} from './ethereum-login.dto.js';

/** spec.md 4.4: Sign-in with Ethereum. */
@Controller('ethereum-login')
export class EthereumLoginController {
  @Post('challenges')
  @Operation({ caller: 'client', summary: 'A message to sign in with' })
  @Returns(challengeResponse)
  getChallenge(@Body({ schema: challengeRequest }) _body: unknown): never {
    return notBuiltYet();
  }

  @Post('id-tokens')
  @Operation({ caller: 'client', summary: 'An id token for a signed challenge' })
  @Returns(idTokenResponse)
  loginBySiwe(@Body({ schema: idTokenRequest }) _body: unknown): never {
    return notBuiltYet();
  }
}
