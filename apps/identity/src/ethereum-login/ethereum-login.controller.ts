import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Post } from '@nestjs/common';
import { ChallengesService } from './challenges/challenges.service.js';
import {
  type ChallengeRequest,
  challengeRequest,
  type ChallengeResponse,
  challengeResponse,
  type IdTokenRequest,
  idTokenRequest,
  type IdTokenResponse,
  idTokenResponse,
} from './ethereum-login.dto.js';
import { clientApplicationRequired } from '../common/request.errors.js';
import { IdTokensService } from './id-tokens/ae-token.service.js';

/** spec.md 4.4: sign-in with Ethereum and Solana wallets. */
@Controller('ethereum-login')
export class EthereumLoginController {
  constructor(
    private readonly challenges: ChallengesService,
    private readonly idTokens: IdTokensService,
  ) {}

  @Post('challenges')
  @Operation({
    caller: 'client',
    summary: 'A message to sign in with',
    errors: ['400 origin_invalid', '403 client_required', '403 scope_forbidden'],
  })
  @Returns(challengeResponse)
  getChallenge(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: challengeRequest }) request: ChallengeRequest,
  ): Promise<ChallengeResponse> {
    const { client, scopes } = requireClient(principal);
    return this.challenges.create(client.id, scopes, request);
  }

  @Post('id-tokens')
  @Operation({
    caller: 'client',
    summary: 'An id token for a signed challenge',
    example: {
      status: 401,
      reason: 'a challenge is valid once, so its signature cannot stand in an example',
    },
    errors: [
      '401 login_chain_not_supported',
      '401 login_invalid',
      '403 client_required',
      '503 nodes_unavailable',
      '503 token_keys_unavailable',
    ],
  })
  @Returns(idTokenResponse)
  loginBySiwe(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: idTokenRequest }) request: IdTokenRequest,
  ): Promise<IdTokenResponse> {
    return this.idTokens.create(requireClient(principal).client.id, request);
  }
}

function requireClient(principal: Principal) {
  if (principal.kind !== 'caller' || !principal.client) throw clientApplicationRequired();
  return { client: principal.client, scopes: principal.scopes };
}
