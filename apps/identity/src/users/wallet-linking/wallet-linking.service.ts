import { formatSignInMessage, formatSolanaSignInMessage } from '@app/chain/sign-in';
import type { BalancesResponse } from '@app/dto';
import { ServiceContext } from '@app/service';
import { randomBytes } from 'node:crypto';
import { getTenantId, type Principal, requireSignedInUser } from '@app/auth';
import { formatErrorReason, toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import { clientApplicationRequired } from '../../common/request.errors.js';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import {
  DEFAULT_CHAIN_ID,
  DEFAULT_SOLANA_REFERENCE,
  findSolanaChainByReference,
} from '../../wallet-signatures/sign-in-chains.js';
import type { Wallet } from '../wallets/wallet.js';
import { findOtherOwners, type WalletOwner } from '../wallets/wallet-connections.queries.js';
import {
  type LinkOutcome,
  toAccountOwner,
  WalletConnectionsService,
} from '../wallets/wallet-connections.service.js';
import { LinkChallengeStore } from './link-challenge-store.js';
import type { StoredChallenge } from './wallet-challenges.queries.js';
import type { NamedLink } from './link-message-query.decorator.js';
import { LinkProofService, type SignedLink } from './link-proof.service.js';
import { type LinkAccount, parseLinkAccount, toAccountId } from './parse-link-account.js';
import type { AccountAddressRequest, WalletBalance } from './wallet-linking.dto.js';
import {
  challengeAccountMismatch,
  challengeExpired,
  challengeNotFound,
  invalidSignature,
  walletLimitExceeded,
} from './wallet-linking.errors.js';

interface LinkMessageFields {
  readonly publicUrl: string;
  readonly userId: string;
  /** Random letters and digits. */
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Formats the text that a wallet signs to be linked, before its address and chain are known. The first line differs from
 * EIP-4361 and Sign In With Solana, so that a link signature is never valid as a login, nor the reverse.
 */
const formatLinkMessage = ({ publicUrl, userId, nonce, issuedAt, expiresAt }: LinkMessageFields): string =>
  [
    `${new URL(publicUrl).host} asks you to link a wallet to your account.`,
    '',
    'Sign this only if the account below is yours: what this wallet holds will count as held by it. This sends no transaction and costs nothing.',
    '',
    `URI: ${publicUrl}`,
    `Account: ${userId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');

/**
 * Formats the text that a named wallet signs to be linked: EIP-4361 or Sign In With Solana, so that the wallet warns when a page
 * of another domain shows it. Never valid as a login, because its nonce is not one of a sign-in challenge.
 */
function formatNamedLinkMessage(fields: LinkMessageFields, { account, endsOtherLinks }: NamedLink): string {
  const { publicUrl, userId, nonce } = fields;
  const common = {
    domain: new URL(publicUrl).host,
    address: account.address,
    statement: `${formatPurpose(userId, endsOtherLinks)} What this wallet holds will count as held by this account. This sends no transaction and costs nothing.`,
    uri: publicUrl,
    nonce,
    issuedAt: fields.issuedAt.toISOString(),
    expirationTime: fields.expiresAt.toISOString(),
  };
  if (account.family === 'evm')
    return formatSignInMessage({ ...common, chainId: account.chainId ?? DEFAULT_CHAIN_ID });
  const reference = account.reference ?? DEFAULT_SOLANA_REFERENCE;
  const chainId = findSolanaChainByReference(reference);
  if (!chainId) throw new Error(`Solana chain ${reference} has no name in messages`);
  return formatSolanaSignInMessage({ ...common, chainId });
}

const formatPurpose = (userId: string, endsOtherLinks: boolean): string =>
  endsOtherLinks
    ? `Link this wallet to the account ${userId}, and end its links to all other accounts.`
    : `Link this wallet to the account ${userId}.`;

/** Balances of a newly linked wallet. Best effort: linking succeeds without them. */
@Injectable()
export class WalletBalanceService {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly context: ServiceContext,
  ) {}

  /** @param tenantId whose share of the chain reads they take */
  async loadBalances({ accountId, type }: Wallet, tenantId: string): Promise<BalancesResponse['accounts']> {
    const isContract = type === 'contract';
    try {
      return (await this.tokenGating.loadBalances({ accountId, isContract, tenantId })).accounts;
    } catch (error) {
      this.context.logger.warn(
        { reason: formatErrorReason(error) },
        'balances of a linked wallet could not be loaded',
      );
      return [];
    }
  }
}

const createNonce = () => toBase62(randomBytes(16), 22);

/** Links wallets to users: issues a message and verifies the wallet's signature of it. */
@Injectable()
export class WalletLinkingService {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly challenges: LinkChallengeStore,
    private readonly proofs: LinkProofService,
    private readonly connections: WalletConnectionsService,
    private readonly balances: WalletBalanceService,
  ) {}

  /**
   * Issues a message to sign, valid for one attempt: of a key within ten minutes, of a contract account within an hour. @param principal a stored user
   * @param named the wallet that the message names. @param site where it is signed, if not at the API host. @throws AppError 400 for an unknown chain
   */
  async issueChallenge(principal: Principal, named?: NamedLink, site?: string): Promise<string> {
    const { id: userId } = requireSignedInUser(principal);
    const clientId = principal.kind === 'caller' ? (principal.client?.id ?? '') : '';
    const publicUrl = site ?? this.urls.PUBLIC_URL;
    if (named) this.proofs.checkChain(named.account);
    const lifetimeMs = this.proofs.getChallengeLifetimeMs(named?.account);
    return this.challenges.issue({ userId, clientId }, named, lifetimeMs, (times) => {
      const fields = { publicUrl, userId, nonce: createNonce(), ...times };
      return named ? formatNamedLinkMessage(fields, named) : formatLinkMessage(fields);
    });
  }

  /** Links a wallet. Idempotent for a linked wallet. @throws AppError 400, 409, 429, 503 */
  async link(principal: Principal, request: AccountAddressRequest): Promise<WalletBalance> {
    const { id: userId } = requireSignedInUser(principal);
    const { message, signedMessage: signature } = request;
    const account = parseLinkAccount(request.address, request.chainId, request.signatureType);
    const requester = toCheckRequester(principal);
    const wallet = await this.linkSigned(toAccountOwner(userId), {
      requester,
      account,
      message,
      signature,
      signatureField: 'signedMessage',
    });
    const accounts = await this.balances.loadBalances(wallet, getTenantId(principal));
    return { address: wallet.address, accounts };
  }

  /** Uses up the challenge of the message, and links the wallet that signed it. @throws AppError 400, 409, 429, 503 */
  async linkSigned(owner: WalletOwner, signed: SignedLink): Promise<Wallet> {
    const { wallet, result } = await this.useChallenge(
      owner.userId,
      signed.message,
      signed,
      (proven, challenge) => this.connect(owner, proven, challenge),
    );
    if (result === 'limit_exceeded') throw walletLimitExceeded();
    return wallet;
  }

  /**
   * Uses up a challenge, and calls `apply` with the wallet that signed. Restores the challenge when the signature could not
   * be checked or its effect not be stored, unlike a login: contract wallets often need several owners to sign, so that a
   * node outage must not cost them a new signature.
   * @param message the message of the challenge, which need not be the signed one
   */
  async useChallenge<T>(
    userId: string,
    message: string,
    signed: SignedLink,
    apply: (wallet: Wallet, challenge: StoredChallenge) => Promise<T>,
  ): Promise<{ wallet: Wallet; result: T }> {
    const { account } = signed;
    this.proofs.checkChain(account);
    const challenge = await this.takeChallenge(userId, message);
    checkNamedAccount(challenge, account);
    const restore = async (error: unknown): Promise<never> => {
      await this.challenges.restore(challenge);
      throw error;
    };
    const wallet = await this.proofs.findSigningWallet(signed).catch(restore);
    if (!wallet) throw invalidSignature(account, signed.signatureField);
    if (wallet.type !== 'contract' && !challenge.isAliveForKeys) throw challengeExpired();
    return { wallet, result: await apply(wallet, challenge).catch(restore) };
  }

  private async takeChallenge(userId: string, message: string): Promise<StoredChallenge> {
    const challenge = await this.challenges.take(userId, message);
    if (!challenge) throw challengeNotFound();
    if (!challenge.isAlive) throw challengeExpired();
    return challenge;
  }

  private async connect(
    owner: WalletOwner,
    wallet: Wallet,
    { endsOtherLinks }: StoredChallenge,
  ): Promise<LinkOutcome> {
    const outcome = await this.database.transaction((manager) =>
      this.connections.link(manager, owner, wallet),
    );
    if (endsOtherLinks && outcome !== 'limit_exceeded') await this.endOtherLinks(owner.userId, wallet.key);
    return outcome;
  }

  /**
   * Ends the links of others in a transaction for each user: two users that end each other's links at the same time
   * would deadlock in a shared one.
   */
  private async endOtherLinks(userId: string, key: string): Promise<void> {
    for (const other of await findOtherOwners(this.database, userId, key))
      await this.database.transaction((manager) => this.connections.unlink(manager, other, { keys: [key] }));
  }
}

/** The chain is compared only when the request names one: a key has the same account on every chain of its family. */
function checkNamedAccount({ accountId }: StoredChallenge, account: LinkAccount): void {
  if (accountId === null) return;
  const [namesChain, namespace] =
    account.family === 'evm'
      ? [account.chainId !== undefined, 'eip155:']
      : [account.reference !== undefined, 'solana:'];
  const isSame = namesChain
    ? toAccountId(account) === accountId
    : accountId.startsWith(namespace) && accountId.endsWith(`:${account.address}`);
  if (!isSame) throw challengeAccountMismatch();
}

/** Contract-wallet checks count on the tenant of the client application that the user signed in through. */
function toCheckRequester(principal: Principal) {
  if (principal.kind !== 'caller' || !principal.client) throw clientApplicationRequired();
  return { clientId: principal.client.id, isUser: true };
}
