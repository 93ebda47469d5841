import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import { Operation, Returns, ReturnsNothing, InternalController } from '@app/service';
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
  type CredentialRevocationRequest,
  credentialRevocationRequest,
} from './ethereum-login.dto.js';
import { clientApplicationRequired } from '../common/request.errors.js';
import { IdTokensService } from './id-tokens/ae-token.service.js';
import { UserCredentialService } from './credentials/user-credential.service.js';
import {
  type EthereumCredentialResponse,
  ethereumCredentialResponse,
  type EthereumCredentialRequest,
  ethereumCredentialRequest,
} from '@app/dto';
import { EthereumCredentialService } from './credentials/ethereum-credential.service.js';

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
    description:
      'The first step of Sign-in with Ethereum on a page of your own: the wallet signs the message of the answer (EIP-4361), ' +
      "which is valid once and for minutes. The origin must be one of the application's.",
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
    description:
      'The second step: the message and its signature against an id token, which `Authorization: AE <token>` carries from ' +
      'then on. The user is created at the first sign-in.',
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
      'The credential is refused from then on, wherever it is kept. The user must have signed it, else 404; the request may ' +
      'be authenticated with the same credential.',
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
