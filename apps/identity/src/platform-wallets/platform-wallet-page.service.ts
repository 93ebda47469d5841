import { AppError, badRequest } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LinkChallengeStore } from '../users/wallet-linking/link-challenge-store.js';
import type { SignedLink } from '../users/wallet-linking/link-proof.service.js';
import { parseLinkAccount } from '../users/wallet-linking/parse-link-account.js';
import { WalletLinkingService } from '../users/wallet-linking/wallet-linking.service.js';
import type { WalletOwner } from '../users/wallets/wallet-connections.queries.js';
import { WalletConnectionsService } from '../users/wallets/wallet-connections.service.js';
import {
  type PlatformLinkRequest,
  platformLinkRequest,
  PlatformMemberService,
} from './platform-member.service.js';
import { linkNotFound, walletNotLinked } from './platform-wallets.errors.js';

export interface PageSignature {
  /** The wallet as a CAIP-10 id. */
  readonly accountId: string;
  readonly signature: string;
}

/** The page of a challenge, on which the user links a wallet or removes one. The person who opens it proves only a wallet. */
@Injectable()
export class PlatformWalletPageService {
  constructor(
    private readonly database: Database,
    private readonly members: PlatformMemberService,
    private readonly challenges: LinkChallengeStore,
    private readonly linking: WalletLinkingService,
    private readonly connections: WalletConnectionsService,
  ) {}

  /** @throws AppError 404 for a challenge that is used or expired, or whose application is no longer attached */
  async find(requestId: string): Promise<PlatformLinkRequest> {
    return (await this.load(requestId)).request;
  }

  /** Uses up the challenge. @returns whose wallet it is now. @throws AppError 400, 404, 409, 429, 503 */
  async link(requestId: string, page: PageSignature): Promise<WalletOwner> {
    const { request, owner, isSuspended } = await this.load(requestId);
    if (isSuspended) throw linkNotFound();
    await this.linking.linkSigned(owner, toSignedLink(request, page, request.message)).catch(rethrowForPage);
    return owner;
  }

  /** Uses up the challenge. Works in a suspended community, as leaving it does. Removes the wallet that signed, and no other. @throws AppError 400, 404, 429, 503 */
  async remove(requestId: string, page: PageSignature): Promise<void> {
    const { request, owner } = await this.load(requestId);
    const signed = toSignedLink(request, page, request.removalMessage);
    const { result: removed } = await this.linking
      .useChallenge(owner.userId, request.message, signed, ({ key }) =>
        this.database.transaction((manager) => this.connections.unlink(manager, owner, { keys: [key] })),
      )
      .catch(rethrowForPage);
    if (removed === 0) throw walletNotLinked();
  }

  private async load(
    requestId: string,
  ): Promise<{ request: PlatformLinkRequest; owner: WalletOwner; isSuspended: boolean }> {
    const challenge = await this.challenges.findRequest(requestId);
    if (!challenge?.isAlive) throw linkNotFound();
    const { userId, communityId } = challenge;
    const request = platformLinkRequest.parse(challenge.request);
    const { clientId } = request;
    const { isSuspended } = await this.members
      .require({ communityId, clientId, member: userId })
      .catch((error: unknown) => {
        throw error instanceof AppError && error.statusCode < 500 ? linkNotFound() : error;
      });
    return { request, owner: { userId, communityId }, isSuspended };
  }
}

/** Contract-wallet checks count as those of a user of the application: a person with the link sends them, without its API key. */
const toSignedLink = (
  { clientId }: PlatformLinkRequest,
  { accountId, signature }: PageSignature,
  message: string,
): SignedLink => ({
  requester: { clientId, isUser: true },
  account: parseLinkAccount(accountId, undefined),
  message,
  signature,
  signatureField: 'signature',
});

/** Names no field, because the user has filled in none. */
function rethrowForPage(error: unknown): never {
  const code = error instanceof AppError ? error.details['code'] : undefined;
  if (code === 'challenge_invalid') throw linkNotFound();
  if (code !== 'signature_invalid') throw error;
  throw badRequest(
    'signature_invalid',
    'The signature does not belong to this wallet. Ask the application for a new link and try again.',
  );
}
