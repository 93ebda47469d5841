import { BASIC_SCOPES, scopeUrn } from '@app/auth';
import { Injectable } from '@nestjs/common';
import { TokenKeys } from '../token-keys/token-keys.js';
import { Users } from '../users/users.js';
import { ChallengeStore } from './challenge-store.js';
import type { CheckAsker } from './check-holders.js';
import { noLogin } from './ethereum-login.errors.js';
import { EthereumProof } from './ethereum-proof.js';
import { scopesIn } from './requested-scopes.js';
import { readSignInAccount } from './sign-in-account.js';
import { proveSolanaWallet } from './solana-proof.js';
import type { Asker, LoginAnswer, LoginTerms, WalletLogin } from './wallet-login.js';
import { writeMessage } from './write-message.js';

/** contract.md section 4. */
const LIFE_MS = 10 * 60_000;
const STATEMENT = 'Sign in with your wallet. This sends no transaction and costs nothing.';

/** Sign-in with a wallet, for client applications and for our own pages. */
@Injectable()
export class WalletLogins {
  constructor(
    private readonly keys: TokenKeys,
    private readonly challenges: ChallengeStore,
    private readonly ethereum: EthereumProof,
    private readonly users: Users,
  ) {}

  /** A message to sign, good for ten minutes. @throws AppError 400 for an account or a URI that cannot be */
  async begin(asker: Asker, terms: LoginTerms = {}): Promise<{ requestId: string; message: string }> {
    const { accountId, scopes = BASIC_SCOPES, statement = STATEMENT } = terms;
    const account = accountId === undefined ? undefined : readSignInAccount(accountId);
    const issuedAt = Date.now();
    const expiresAt = issuedAt + LIFE_MS;
    const resources = scopes.map(scopeUrn);
    const message = writeMessage(
      { ...asker, purpose: 'login', statement, resources, account, issuedAt, expiresAt },
      this.keys.nonceKey(),
    );
    const namespace = account?.namespace ?? 'eip155';
    const challenge = { namespace, message, expiresAt: new Date(expiresAt) };
    return { requestId: await this.challenges.add(asker.clientId, challenge), message };
  }

  /**
   * The one attempt that a challenge is good for: it is used up even when no node can be asked.
   * @throws AppError 401 when it proves nothing, 503 when no node can be asked about a contract account, 429 when too many
   * are being asked
   */
  async finish(asker: CheckAsker, answer: LoginAnswer): Promise<WalletLogin> {
    const { requestId, signatureType, signature, accountId } = answer;
    const account = accountId === undefined ? undefined : readSignInAccount(accountId);
    const challenge = await this.challenges.take(asker.clientId, requestId);
    if (!challenge || challenge.expiresAt.getTime() <= Date.now()) throw noLogin();
    const { namespace, message } = challenge;
    if (namespace !== (signatureType === 'ed25519' ? 'solana' : 'eip155')) throw noLogin();
    const signed = { asker, message, signature, account };
    const proven = namespace === 'solana' ? proveSolanaWallet(signed) : await this.ethereum.find(signed);
    if (!proven) throw noLogin();
    const { wallet, resources } = proven;
    const userId = await this.users.signIn(wallet);
    return { userId, account: wallet.accountId, scopes: scopesIn(resources) };
  }
}
