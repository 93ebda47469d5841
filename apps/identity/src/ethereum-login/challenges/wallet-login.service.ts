import { DEFAULT_SCOPES, toScopeUrn } from '@app/auth';
import { Injectable } from '@nestjs/common';
import { isValidSolanaSignature, parseSolanaSignInMessage } from '@app/chain/sign-in';
import type { Scope } from '@app/dto';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import { UsersService } from '../../users/users.service.js';
import { type SignInChallenge, SignInChallengeQueries } from './sign-in-challenges.queries.js';
import type { CheckRequester } from '../../wallet-signatures/budget-key.queries.js';
import {
  CONTRACT_CHALLENGE_LIFETIME_MS,
  KEY_CHALLENGE_LIFETIME_MS,
} from '../../wallet-signatures/challenge-lifetimes.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import {
  DEFAULT_CHAIN_ID,
  findSolanaChainByName,
  type SolanaChain,
  toSolanaReference,
} from '../../wallet-signatures/sign-in-chains.js';
import type { IdTokenRequest } from '../ethereum-login.dto.js';
import { loginExpired, loginFailed, scopesNotSigned } from '../ethereum-login.errors.js';
import {
  EthereumSignatureVerifier,
  type SignedChallenge,
  type VerifiedWallet,
} from './ethereum-signature-verifier.js';
import { parseResourceScopes } from '../messages/parse-resources.js';
import { parseSignInAccount, type SignInAccount, createSignInMessage } from '../messages/sign-in-message.js';
import { createSolanaWallet } from '../../users/wallets/wallet.js';

/** The application that requests a login. */
interface LoginRequester {
  /** A client application's id, or the reserved name of the login page. */
  readonly clientId: string;
  /** The host that the wallet displays. */
  readonly domain: string;
  readonly uri: string;
}

interface CreateChallengeOptions {
  /** CAIP-10 or a plain address. If present, the signer must match. */
  readonly accountId?: string;
  /** URIs that the message lists. Default: the default scopes. */
  readonly resources?: readonly string[];
  /** A line of ASCII that the wallet displays. */
  readonly statement?: string;
}

export interface WalletLogin {
  readonly userId: string;
  /** CAIP-10. */
  readonly account: string;
  readonly scopes: readonly Scope[];
}

const STATEMENT = 'Sign in with your wallet. This sends no transaction and costs nothing.';

/** Sign-in with a wallet, for client applications and for the login page. */
@Injectable()
export class WalletLoginService {
  constructor(
    private readonly keys: TokenKeysService,
    private readonly challenges: SignInChallengeQueries,
    private readonly ethereum: EthereumSignatureVerifier,
    private readonly contracts: ContractWalletService,
    private readonly users: UsersService,
  ) {}

  /** Creates a message to sign: a key has ten minutes, a contract account that it names an hour. @throws AppError 400 for an invalid account or URI */
  async createChallenge(
    requester: LoginRequester,
    options: CreateChallengeOptions = {},
  ): Promise<{ requestId: string; message: string }> {
    const { accountId, resources = DEFAULT_SCOPES.map(toScopeUrn), statement = STATEMENT } = options;
    const account = accountId === undefined ? undefined : parseSignInAccount(accountId);
    const lifetimeMs = this.getLifetimeMs(account);
    const issuedAt = Date.now();
    const expiresAt = issuedAt + lifetimeMs;
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
   * @throws AppError 400 for scopes that were not signed; 401 for an invalid signature or challenge; for a contract wallet, 503 if no node answers and 429 over
   * the limit of contract checks
   */
  async completeLogin(requester: CheckRequester, request: IdTokenRequest): Promise<WalletLogin> {
    const { requestId, signatureType, signature, accountId } = request;
    const account = accountId === undefined ? undefined : parseSignInAccount(accountId);
    const challenge = await this.challenges.consume(requester.clientId, requestId);
    if (!challenge) throw loginFailed();
    if (challenge.expiresAt.getTime() <= Date.now()) throw loginExpired();
    const { namespace, message } = challenge;
    if (namespace !== (signatureType === 'ed25519' ? 'solana' : 'eip155')) throw loginFailed();
    const signed = { requester, message, signature, account };
    const verified =
      namespace === 'solana' ? verifySolanaSignature(signed) : await this.ethereum.verify(signed);
    if (!verified) throw loginFailed();
    const { wallet, resources } = verified;
    if (wallet.type !== 'contract' && getKeyExpiryMs(challenge) <= Date.now()) throw loginExpired();
    const scopes = selectScopes(parseResourceScopes(resources), request.scopes);
    const userId = await this.users.signIn(wallet);
    return { userId, account: wallet.accountId, scopes };
  }

  /** The time that the message names. A contract account must be named, on a chain whose nodes can be asked. */
  private getLifetimeMs(account: SignInAccount | undefined): number {
    const canBeContract =
      account?.namespace === 'eip155' && this.contracts.hasNodes(account.chainId ?? DEFAULT_CHAIN_ID);
    return canBeContract ? CONTRACT_CHALLENGE_LIFETIME_MS : KEY_CHALLENGE_LIFETIME_MS;
  }
}

/** The time until which a key may answer a challenge, whose message may give a contract account longer. */
function getKeyExpiryMs({ message, expiresAt }: SignInChallenge): number {
  const timeOf = (name: string) => Date.parse(new RegExp(`^${name}: (.+)$`, 'm').exec(message)?.[1] ?? '');
  const lifetimeMs = timeOf('Expiration Time') - timeOf('Issued At');
  return expiresAt.getTime() - Math.max(0, lifetimeMs - KEY_CHALLENGE_LIFETIME_MS);
}

/** The signed scopes, at most the requested ones. */
function selectScopes(signed: readonly Scope[], requested: readonly Scope[] | undefined): readonly Scope[] {
  if (!requested) return signed;
  const scopes = signed.filter((scope) => requested.includes(scope));
  if (scopes.length === 0) throw scopesNotSigned();
  return scopes;
}

/** Returns the Solana wallet that signed a challenge, undefined for an invalid signature. */
function verifySolanaSignature({ message, signature, account }: SignedChallenge): VerifiedWallet | undefined {
  const parsed = parseSolanaSignInMessage(message);
  if (!parsed.ok) return undefined;
  const { address, chainId, resources = [] } = parsed.message;
  const chain = findSolanaChainByName(chainId);
  if (!chain || (account && !isExpectedAccount(account, address, chain))) return undefined;
  if (!isValidSolanaSignature({ message, address, signature })) return undefined;
  return { wallet: createSolanaWallet(toSolanaReference(chain), address), resources };
}

/** Whether the account of the login request matches the message's address and chain. A plain address matches on every chain, as on EVM chains. */
const isExpectedAccount = (account: SignInAccount, address: string, chain: SolanaChain): boolean =>
  account.namespace === 'solana' &&
  account.address === address &&
  (account.chain === undefined || account.chain === chain);
