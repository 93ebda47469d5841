import { randomBytes } from 'node:crypto';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { MAX_WALLETS_PER_USER, type PlatformMember } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { loadActingApplication } from '../applications/entities/client-applications.queries.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { findProfileName } from '../users/directory/platform-user-profiles.queries.js';
import { LinkChallengeStore } from '../users/wallet-linking/link-challenge-store.js';
import { parseLinkAccount } from '../users/wallet-linking/parse-link-account.js';
import { WalletLinkingService } from '../users/wallet-linking/wallet-linking.service.js';
import { listWallets, type WalletOwner } from '../users/wallets/wallet-connections.queries.js';
import { WalletConnectionsService } from '../users/wallets/wallet-connections.service.js';
import { parseWalletSelection } from '../users/wallets/wallet-removal.service.js';
import {
  type PlatformLinkRequest,
  platformLinkRequest,
  PlatformMemberService,
} from './platform-member.service.js';
import type {
  PlatformUserParams,
  PlatformWallet,
  PlatformWalletChallenge,
  PlatformWalletRequest,
} from './platform-wallets.dto.js';
import { requestNotFound, walletNotFound } from './platform-wallets.errors.js';

interface PlatformMessageFields {
  readonly publicUrl: string;
  readonly platform: string;
  readonly platformUserId: string;
  /** What the client application calls the user. */
  readonly userName: string | undefined;
  readonly community: string;
  readonly application: string;
  /** Random letters and digits. */
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Formats the texts that a wallet signs to be linked to a platform user, and to end that. The first lines differ from EIP-4361
 * and Sign In With Solana, so that neither signature is ever valid as a login, nor the reverse.
 */
function formatPlatformMessages(fields: PlatformMessageFields): { link: string; removal: string } {
  const { publicUrl, platform } = fields;
  const { host } = new URL(publicUrl);
  const free = 'This sends no transaction and costs nothing.';
  return {
    link: formatMessage(fields, [
      `${host} asks you to link a wallet to a user of ${platform}.`,
      `Sign this only if the user below is you: what this wallet holds will count as held by that user in the community below. ${free}`,
    ]),
    removal: formatMessage(fields, [
      `${host} asks you to remove a wallet from a user of ${platform}.`,
      `Sign this to end that what this wallet holds counts as held by the user below in the community below. ${free}`,
    ]),
  };
}

const formatMessage = (
  {
    publicUrl,
    platform,
    platformUserId,
    userName,
    community,
    application,
    nonce,
    issuedAt,
    expiresAt,
  }: PlatformMessageFields,
  [firstLine, statement]: readonly [string, string],
): string =>
  [
    firstLine,
    '',
    statement,
    '',
    `URI: ${publicUrl}`,
    `Platform: ${platform}`,
    `User: ${platformUserId}`,
    ...(userName === undefined ? [] : [`Name: ${userName}`]),
    `Community: ${community}`,
    `Application: ${application}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');

const WALLET_ID_PREFIX = 'wallet_';

/** Links wallets to the chat, microblog and codehost users of a community, for client applications that are attached to it. */
@Injectable()
export class PlatformWalletsService {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly members: PlatformMemberService,
    private readonly challenges: LinkChallengeStore,
    private readonly linking: WalletLinkingService,
    private readonly connections: WalletConnectionsService,
  ) {}

  /** Issues a message for the user to sign, valid for one attempt: of a key within ten minutes, of a contract account within an hour. */
  async issueChallenge(clientId: string, params: PlatformUserParams): Promise<PlatformWalletChallenge> {
    const member = await this.findMemberForChange(clientId, params);
    const { communityName, platform, platformUserId } = member;
    const { approvedName } = await loadActingApplication(this.database, clientId);
    const shown = {
      application: `${approvedName ?? 'not reviewed'} (${clientId})`,
      community: `${communityName} (${params.communityId})`,
      platform,
      platformUserId,
      userName: await findProfileName(this.database, clientId, member.userId),
    };
    const { PUBLIC_URL: publicUrl, authUrl } = this.urls;
    const [requestId, nonce] = [createRandomText(), createRandomText()];
    const { message, expiresAt } = await this.challenges.issueRequest<PlatformLinkRequest>(
      { ...toOwner(params, member), clientId },
      (times) => {
        const { link, removal } = formatPlatformMessages({ publicUrl, nonce, ...shown, ...times });
        return { ...shown, requestId, clientId, message: link, removalMessage: removal };
      },
    );
    const url = `${authUrl}/wallet-links/${requestId}`;
    return { message, requestId, expiresAt: expiresAt.toISOString(), url };
  }

  /** Links a wallet. Idempotent for a linked wallet. @throws AppError 400, 403, 404, 409, 429, 503 */
  async link(
    clientId: string,
    params: PlatformUserParams,
    { requestId, address, signature, chainId, signatureType }: PlatformWalletRequest,
  ): Promise<PlatformWallet> {
    const account = parseLinkAccount(address, chainId, signatureType);
    const owner = toOwner(params, await this.findMemberForChange(clientId, params));
    const found = await this.challenges.findRequest(requestId);
    const request = found && platformLinkRequest.parse(found.request);
    if (
      request?.clientId !== clientId ||
      found?.userId !== owner.userId ||
      found.communityId !== owner.communityId
    )
      throw requestNotFound();
    const requester = { clientId };
    const wallet = await this.linking.linkSigned(owner, {
      requester,
      account,
      message: request.message,
      signature,
      signatureField: 'signature',
    });
    const linked = (await this.load(clientId, owner)).find(({ key }) => key === wallet.key);
    if (!linked) throw walletNotFound();
    return linked.item;
  }

  /**
   * Lists the wallets of a platform user, at most 25, oldest first. Applications that are not approved to read
   * addresses get none.
   */
  async list(clientId: string, params: PlatformUserParams): Promise<{ items: PlatformWallet[] }> {
    const owner = toOwner(params, await this.findMember(clientId, params));
    return { items: (await this.load(clientId, owner)).map(({ item }) => item) };
  }

  /** @param text an address, a CAIP-10 id or the id of a wallet. @throws AppError 404 when the user has no such wallet */
  async remove(clientId: string, params: PlatformUserParams, text: string): Promise<void> {
    const owner = toOwner(params, await this.findMemberForChange(clientId, params));
    const selection = text.startsWith(WALLET_ID_PREFIX) ? { id: text } : parseWalletSelection(text);
    const removed = await this.database.transaction((manager) =>
      this.connections.unlink(manager, owner, selection),
    );
    if (removed === 0) throw walletNotFound();
  }

  private findMember(
    clientId: string,
    { communityId, platformUserId }: PlatformUserParams,
  ): Promise<PlatformMember> {
    return this.members.require({ communityId, clientId, member: platformUserId });
  }

  private findMemberForChange(
    clientId: string,
    { communityId, platformUserId }: PlatformUserParams,
  ): Promise<PlatformMember> {
    return this.members.requireForChange({ communityId, clientId, member: platformUserId });
  }

  private async load(clientId: string, owner: WalletOwner) {
    const { scopes } = await loadActingApplication(this.database, clientId);
    const readsAddresses = scopes.includes('user:wallet:read');
    const rows = await listWallets(this.database, owner, {
      after: undefined,
      rowLimit: MAX_WALLETS_PER_USER,
    });
    return rows.map(({ id, createdTime, address, accountId, platform, walletType, chainId, key }) => ({
      key,
      item: {
        id,
        createdTime,
        ...(readsAddresses && { address, accountId, platform, walletType, chainId }),
      },
    }));
  }
}

const toOwner = ({ communityId }: PlatformUserParams, { userId }: PlatformMember): WalletOwner => ({
  userId,
  communityId,
});

/** 22 letters and digits, 128 bits. */
const createRandomText = () => toBase62(randomBytes(16), 22);
