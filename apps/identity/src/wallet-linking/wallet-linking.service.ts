import { randomBytes } from 'node:crypto';
import { type Principal, signedInUser } from '@app/auth';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { noClientApplication } from '../ethereum-login/ethereum-login.errors.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import type { Wallet } from '../users/wallet.js';
import { type LinkOutcome, WalletConnections } from '../users/wallet-connections.js';
import { LinkChallenges } from './link-challenges.js';
import type { TakenChallenge } from './link-challenge-statements.js';
import { linkMessage } from './link-message.js';
import { LinkProof, type SignedLink } from './link-proof.js';
import { readLinkAccount } from './read-link-account.js';
import { WalletBalances } from './wallet-balances.js';
import type { AccountAddressRequest, WalletBalance } from './wallet-linking.dto.js';
import {
  challengeExpired,
  challengeUnknown,
  tooManyWallets,
  wrongSignature,
} from './wallet-linking.errors.js';

const newNonce = () => toBase62(randomBytes(16), 22);

/** How users get wallets: they ask for a message, their wallet signs it, and it is theirs. */
@Injectable()
export class WalletLinkingService {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly challenges: LinkChallenges,
    private readonly proof: LinkProof,
    private readonly connections: WalletConnections,
    private readonly balances: WalletBalances,
  ) {}

  /** The message to sign, good for ten minutes and one attempt. @param userId of a user that is known */
  challenge(userId: string): Promise<string> {
    const { PUBLIC_URL: publicUrl } = this.urls;
    return this.challenges.issue(userId, (times) =>
      linkMessage({ publicUrl, userId, nonce: newNonce(), ...times }),
    );
  }

  /**
   * A wallet that the user has is linked once more without more to come of it.
   * @throws AppError 400, 409, 429, 503
   */
  async link(principal: Principal, request: AccountAddressRequest): Promise<WalletBalance> {
    const { id: userId } = signedInUser(principal);
    const { message, signedMessage: signature } = request;
    const account = readLinkAccount(request.address, request.chainId);
    this.proof.checkChain(account);
    const asker = askerOf(principal);
    const challenge = await this.takeChallenge(userId, message);
    const wallet = await this.attempt(challenge, { asker, account, message, signature });
    return { address: wallet.address, accounts: await this.balances.of(wallet) };
  }

  private async takeChallenge(userId: string, message: string): Promise<TakenChallenge> {
    const challenge = await this.challenges.take(userId, message);
    if (!challenge) throw challengeUnknown();
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
      wallet = await this.proof.find(signed);
      outcome = wallet && (await this.connect(challenge.userId, wallet));
    } catch (error) {
      await this.challenges.putBack(challenge);
      throw error;
    }
    if (!wallet) throw wrongSignature(signed.account);
    if (outcome === 'full') throw tooManyWallets();
    return wallet;
  }

  private connect(userId: string, wallet: Wallet): Promise<LinkOutcome> {
    return this.database.transaction((manager) => this.connections.link(manager, userId, wallet));
  }
}

/** Users come through a client application: what is asked of nodes for them counts on its plan holder, as at a login. */
function askerOf(principal: Principal) {
  if (principal.kind !== 'caller' || !principal.client) throw noClientApplication();
  return { clientId: principal.client.id };
}
