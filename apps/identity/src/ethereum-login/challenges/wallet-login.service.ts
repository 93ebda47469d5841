import { DEFAULT_SCOPES, toScopeUrn } from '@app/auth';
import { Injectable } from '@nestjs/common';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import { UsersService } from '../../users/users.service.js';
import { SignInChallengeQueries } from './sign-in-challenges.queries.js';
import type { CheckRequester } from '../../wallet-signatures/budget-key.queries.js';
import type { IdTokenRequest } from '../ethereum-login.dto.js';
import { loginFailed } from '../ethereum-login.errors.js';
import { EthereumSignatureVerifier } from './ethereum-signature-verifier.js';
import { parseResourceScopes } from '../messages/parse-resources.js';
import { parseSignInAccount } from '../messages/sign-in-account.js';
import { verifySolanaSignature } from './verify-solana-signature.js';
import type { LoginRequester, CreateChallengeOptions, WalletLogin } from './wallet-login.js';
import { createSignInMessage } from '../messages/create-sign-in-message.js';

/** contract.md section 4. */
const CHALLENGE_LIFETIME_MS = 10 * 60_000;
const STATEMENT = 'Sign in with your wallet. This sends no transaction and costs nothing.';

/** Sign-in with a wallet, for client applications and for the login page. */
@Injectable()
export class WalletLoginService {
  constructor(
    private readonly keys: TokenKeysService,
    private readonly challenges: SignInChallengeQueries,
    private readonly ethereum: EthereumSignatureVerifier,
    private readonly users: UsersService,
  ) {}

  /** Creates a message to sign, valid for ten minutes. @throws AppError 400 for an invalid account or URI */
  async createChallenge(
    requester: LoginRequester,
    options: CreateChallengeOptions = {},
  ): Promise<{ requestId: string; message: string }> {
    const { accountId, scopes = DEFAULT_SCOPES, statement = STATEMENT } = options;
    const account = accountId === undefined ? undefined : parseSignInAccount(accountId);
    const issuedAt = Date.now();
    const expiresAt = issuedAt + CHALLENGE_LIFETIME_MS;
    const resources = scopes.map(toScopeUrn);
    const message = createSignInMessage(
      { ...requester, purpose: 'login', statement, resources, account, issuedAt, expiresAt },
      this.keys.getNonceKey(),
    );
    const namespace = account?.namespace ?? 'eip155';
    const challenge = { namespace, message, expiresAt: new Date(expiresAt) };
    return { requestId: await this.challenges.insert(requester.clientId, challenge), message };
  }

  /**
   * Signs the user in. Each attempt consumes its challenge, also if no node answers.
   * @throws AppError 401 for an invalid signature or challenge; for a contract wallet, 503 if no node answers and 429 over
   * the limit of contract checks
   */
  async completeLogin(requester: CheckRequester, request: IdTokenRequest): Promise<WalletLogin> {
    const { requestId, signatureType, signature, accountId } = request;
    const account = accountId === undefined ? undefined : parseSignInAccount(accountId);
    const challenge = await this.challenges.consume(requester.clientId, requestId);
    if (!challenge || challenge.expiresAt.getTime() <= Date.now()) throw loginFailed();
    const { namespace, message } = challenge;
    if (namespace !== (signatureType === 'ed25519' ? 'solana' : 'eip155')) throw loginFailed();
    const signed = { requester, message, signature, account };
    const verified =
      namespace === 'solana' ? verifySolanaSignature(signed) : await this.ethereum.verify(signed);
    if (!verified) throw loginFailed();
    const { wallet, resources } = verified;
    const userId = await this.users.signIn(wallet);
    return { userId, account: wallet.accountId, scopes: parseResourceScopes(resources) };
  }
}
