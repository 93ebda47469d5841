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
import type { TakenChallenge } from './link-challenge.queries.js';
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

/** How users get wallets: they ask for a message, their wallet signs it, and it is theirs. */
@Injectable()
export class WalletLinkingService {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly challenges: LinkChallengeStore,
    private readonly proof: LinkProofService,
    private readonly connections: WalletConnectionsService,
    private readonly balances: WalletBalanceService,
  ) {}

  /** The message to sign, good for ten minutes and one attempt. @param userId of a user that is known */
  issueChallenge(userId: string): Promise<string> {
    const { PUBLIC_URL: publicUrl } = this.urls;
    return this.challenges.issue(userId, (times) =>
      formatLinkMessage({ publicUrl, userId, nonce: createNonce(), ...times }),
    );
  }

  /**
   * A wallet that the user has is linked once more without more to come of it.
   * @throws AppError 400, 409, 429, 503
   */
  async link(principal: Principal, request: AccountAddressRequest): Promise<WalletBalance> {
    const { id: userId } = requireSignedInUser(principal);
    const { message, signedMessage: signature } = request;
    const account = parseLinkAccount(request.address, request.chainId);
    this.proof.checkChain(account);
    const asker = toCheckRequester(principal);
    const challenge = await this.takeChallenge(userId, message);
    const wallet = await this.attempt(challenge, { requester: asker, account, message, signature });
    return { address: wallet.address, accounts: await this.balances.loadBalances(wallet) };
  }

  private async takeChallenge(userId: string, message: string): Promise<TakenChallenge> {
    const challenge = await this.challenges.take(userId, message);
    if (!challenge) throw challengeNotFound();
    if (!challenge.isAlive) throw challengeExpired();
    return challenge;
  }

  /**
   * The one attempt that a challenge is good for. Unlike at a login it can be made again with the same signature where nobody
   * found out what it is worth, or it could not be written down: wallets that are contracts often have several owners, who do not like to sign again because
   * a node was away.
   */
  private async attempt(challenge: TakenChallenge, signed: SignedLink): Promise<Wallet> {
    let wallet: Wallet | undefined;
    let outcome: LinkOutcome | undefined;
    try {
      wallet = await this.proof.findSigningWallet(signed);
      outcome = wallet && (await this.connect(challenge.userId, wallet));
    } catch (error) {
      await this.challenges.restore(challenge);
      throw error;
    }
    if (!wallet) throw invalidSignature(signed.account);
    if (outcome === 'full') throw walletLimitExceeded();
    return wallet;
  }

  private connect(userId: string, wallet: Wallet): Promise<LinkOutcome> {
    return this.database.transaction((manager) => this.connections.link(manager, userId, wallet));
  }
}

/** Users come through a client application: what is asked of nodes for them counts on its plan holder, as at a login. */
function toCheckRequester(principal: Principal) {
  if (principal.kind !== 'caller' || !principal.client) throw clientApplicationRequired();
  return { clientId: principal.client.id };
}
