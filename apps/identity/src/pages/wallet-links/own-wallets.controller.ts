import { isWalletLogin, type Principal } from '@app/auth';
import { forbidden, notFound } from '@app/common';
import { Database } from '@app/database';
import { MAX_WALLETS_PER_USER } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Get, HttpCode, Injectable, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { parseLinkAccount } from '../../users/wallet-linking/parse-link-account.js';
import { WalletLinkingService } from '../../users/wallet-linking/wallet-linking.service.js';
import {
  findSharedWallets,
  isLinkedWallet,
  listWallets,
} from '../../users/wallets/wallet-connections.queries.js';
import { toAccountOwner } from '../../users/wallets/wallet-connections.service.js';
import { shortenAccount } from '../../users/wallets/wallet.js';
import { WalletRemovalService } from '../../users/wallets/wallet-removal.service.js';
import { getClientAddress, PORTAL_CLIENT_ID } from '../login/login.controller.js';
import { endOnce } from '../communities/repeatable.js';
import { PageController, ScriptController } from '../page-controller.decorator.js';
import {
  CurrentSession,
  CurrentSignedInSession,
  CurrentWalletSession,
  type PageSession,
  requireScriptUser,
  type SignedInSession,
} from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { OwnWalletView } from '../views/page-views.js';

const walletChallengeRequest = z.strictObject({
  accountId: z.string().min(1).max(256),
  endsOtherLinks: z.boolean(),
});
type WalletChallengeRequest = z.output<typeof walletChallengeRequest>;

const signedWallet = z.strictObject({
  accountId: z.string().min(1).max(256),
  message: z.string().min(1).max(8_192),
  signature: z.string().min(1).max(8_192),
});
type SignedWallet = z.output<typeof signedWallet>;

const walletParams = z.object({ walletId: z.string().min(1).max(64) });
type WalletParams = z.output<typeof walletParams>;

const walletNotFound = () => notFound('wallet_not_found', 'You have no wallet at this address any more.');

const walletLoginRequired = () =>
  forbidden('wallet_login_required', 'Sign in with your wallet first: a passkey changes no wallets.');

/** A user with the right to change wallets, as operations require it (`requiresWalletLogin`). */
function requireWalletUser(session: PageSession): SignedInSession {
  const signedIn = requireScriptUser(session);
  if (!isWalletLogin(signedIn.user.amr)) throw walletLoginRequired();
  return signedIn;
}

const toPrincipal = ({ user }: SignedInSession): Principal => ({
  kind: 'caller',
  user: { id: user.userId },
  scopes: [],
});

/** What people call the chains on which a wallet counts. */
function describeChains(type: string, chainId: string): string {
  if (type === 'solana') return 'Solana';
  return type === 'contract' ? `contract account on chain ${chainId}` : 'Ethereum and the chains like it';
}

/** The wallets of users, for the portal. */
@Injectable()
export class OwnWalletsService {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly linking: WalletLinkingService,
    private readonly removal: WalletRemovalService,
  ) {}

  async list({ userId, account }: SignedInSession['user']): Promise<OwnWalletView[]> {
    const page = { after: undefined, rowLimit: MAX_WALLETS_PER_USER };
    const [wallets, shared] = await Promise.all([
      listWallets(this.database, toAccountOwner(userId), page),
      findSharedWallets(this.database, userId),
    ]);
    const isShared = new Set(shared.map(({ accountId }) => accountId));
    return wallets.map(({ id, accountId, walletType, chainId, createdTime }) => ({
      id,
      accountId,
      account: shortenAccount(accountId),
      chains: describeChains(walletType, chainId),
      linked: formatDay(new Date(createdTime)),
      isShared: isShared.has(accountId),
      isOfLogin: accountId.toLowerCase() === account?.toLowerCase(),
    }));
  }

  /** @throws AppError 404 */
  async find(user: SignedInSession['user'], walletId: string): Promise<OwnWalletView> {
    const wallet = (await this.list(user)).find(({ id }) => id === walletId);
    if (!wallet) throw walletNotFound();
    return wallet;
  }

  /** The message is signed on a page of the login host, which wallets compare with the domain in it. */
  issueChallenge(session: SignedInSession, request: WalletChallengeRequest): Promise<string> {
    const { accountId, endsOtherLinks } = request;
    const named = { account: parseLinkAccount(accountId, undefined), endsOtherLinks };
    return this.linking.issueChallenge(toPrincipal(session), named, this.urls.authUrl);
  }

  async link({ user }: SignedInSession, signed: SignedWallet, address: string): Promise<void> {
    const { accountId, message, signature } = signed;
    await this.linking.linkSigned(toAccountOwner(user.userId), {
      requester: { clientId: PORTAL_CLIENT_ID, address },
      account: parseLinkAccount(accountId, undefined),
      message,
      signature,
      signatureField: 'signature',
    });
  }

  /** A wallet that is not linked any more was unlinked by a click before. @throws AppError 404 for the wallet of another user */
  async remove({ user }: SignedInSession, walletId: string): Promise<void> {
    const wallet = (await this.list(user)).find(({ id }) => id === walletId);
    if (wallet) await endOnce(this.removal.remove(user.userId, wallet.accountId), 'wallet_not_found');
    else if (await isLinkedWallet(this.database, walletId)) throw walletNotFound();
  }
}

const PATH = 'portal/wallets';
const PAGE = { section: 'wallets', script: 'portal-wallets', asksWallet: true } as const;

/** The user's own wallets. */
@PageController(PATH)
export class OwnWalletsController {
  constructor(
    private readonly wallets: OwnWalletsService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const wallets = await this.wallets.list(session.user);
    const view = { wallets, maxWallets: MAX_WALLETS_PER_USER, canChange: isWalletLogin(session.user.amr) };
    const options = { ...PAGE, title: 'Your wallets', session };
    this.pages.send(response, 'wallets', view, options);
  }

  /** The page on which the holder of a wallet ends its links to the accounts of others. */
  @Get(':walletId/other-accounts')
  async showOtherAccounts(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: walletParams }) { walletId }: WalletParams,
    @Res() response: Response,
  ): Promise<void> {
    const wallet = await this.wallets.find(session.user, walletId);
    const options = { ...PAGE, title: 'Was this not you?', session };
    this.pages.send(response, 'wallet-other-accounts', { wallet }, options);
  }

  @Post(':walletId/remove')
  @FormBody()
  async remove(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: walletParams }) { walletId }: WalletParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.wallets.remove(session, walletId);
    response.redirect(303, `/${PATH}`);
  }
}

/** The endpoints of the script that asks a wallet for its signature. */
@ScriptController(PATH)
export class OwnWalletsScriptController {
  constructor(private readonly wallets: OwnWalletsService) {}

  @Post('challenges')
  @HttpCode(200)
  async createChallenge(
    @CurrentSession() session: PageSession,
    @Body({ schema: walletChallengeRequest }) body: WalletChallengeRequest,
  ): Promise<{ message: string }> {
    return { message: await this.wallets.issueChallenge(requireWalletUser(session), body) };
  }

  @Post()
  @HttpCode(200)
  async link(
    @CurrentSession() session: PageSession,
    @Body({ schema: signedWallet }) body: SignedWallet,
    @Req() request: Request,
  ): Promise<object> {
    await this.wallets.link(requireWalletUser(session), body, getClientAddress(request));
    return {};
  }
}
