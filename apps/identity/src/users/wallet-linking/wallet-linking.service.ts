import { randomBytes } from 'node:crypto';
import { type Principal, requireSignedInUser } from '@app/auth';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { clientApplicationRequired } from '../../common/request.errors.js';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import type { Wallet } from '../wallets/wallet.js';
import { type LinkOutcome, WalletConnectionsService } from '../wallets/wallet-connections.service.js';
import { LinkChallengeStore } from './link-challenge-store.js';
import type { TakenChallenge } from './wallet-challenges.queries.js';
import { formatLinkMessage } from './format-link-message.js';
import { LinkProofService, type SignedLink } from './link-proof.service.js';
import { parseLinkAccount } from './parse-link-account.js';
import { WalletBalanceService } from './wallet-balance.service.js';
import type { AccountAddressRequest, WalletBalance } from './wallet-linking.dto.js';
import {
  challengeExpired,
  challengeNotFound,
  walletLimitExceeded,
  invalidSignature,
} from './wallet-linking.errors.js';

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

  /** Issues a message to sign, valid for ten minutes and one attempt. @param userId a stored user */
  issueChallenge(userId: string): Promise<string> {
    const { PUBLIC_URL: publicUrl } = this.urls;
    return this.challenges.issue(userId, (times) =>
      formatLinkMessage({ publicUrl, userId, nonce: createNonce(), ...times }),
    );
  }

  /** Links a wallet. Idempotent for a linked wallet. @throws AppError 400, 409, 429, 503 */
  async link(principal: Principal, request: AccountAddressRequest): Promise<WalletBalance> {
    const { id: userId } = requireSignedInUser(principal);
    const { message, signedMessage: signature } = request;
    const account = parseLinkAccount(request.address, request.chainId);
    this.proofs.checkChain(account);
    const requester = toCheckRequester(principal);
    const challenge = await this.takeChallenge(userId, message);
    const wallet = await this.verifyAndConnect(challenge, { requester, account, message, signature });
    return { address: wallet.address, accounts: await this.balances.loadBalances(wallet) };
  }

  private async takeChallenge(userId: string, message: string): Promise<TakenChallenge> {
    const challenge = await this.challenges.take(userId, message);
    if (!challenge) throw challengeNotFound();
    if (!challenge.isAlive) throw challengeExpired();
    return challenge;
  }

  /**
   * Restores the challenge when the signature could not be checked or stored, unlike a login: contract wallets often need
   * several owners to sign, so that a node outage must not cost them a new signature.
   */
  private async verifyAndConnect(challenge: TakenChallenge, signed: SignedLink): Promise<Wallet> {
    let wallet: Wallet | undefined;
    let outcome: LinkOutcome | undefined;
    try {
      wallet = await this.proofs.findSigningWallet(signed);
      outcome = wallet && (await this.connect(challenge.userId, wallet));
    } catch (error) {
      await this.challenges.restore(challenge);
      throw error;
    }
    if (!wallet) throw invalidSignature(signed.account);
    if (outcome === 'limit_exceeded') throw walletLimitExceeded();
    return wallet;
  }

  private connect(userId: string, wallet: Wallet): Promise<LinkOutcome> {
    return this.database.transaction((manager) => this.connections.link(manager, userId, wallet));
  }
}

/** Contract-wallet checks count on the tenant of the client application that the user signed in through. */
function toCheckRequester(principal: Principal) {
  if (principal.kind !== 'caller' || !principal.client) throw clientApplicationRequired();
  return { clientId: principal.client.id, isUser: true };
}
