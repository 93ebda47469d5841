import { Get, Query, Res, Body, HttpCode, Post, Req, Injectable } from '@nestjs/common';
import type { Response, Request } from 'express';
import { PasskeysService } from '../../passkeys/passkeys.service.js';
import { HOME_PATH, PASSKEY_REVIEW_PATH, returnPath } from '../sessions/login-path.js';
import { PageController, ScriptController } from '../page-controller.decorator.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { WALLET_LOGIN_METHODS } from '@app/auth';
import { getHeader } from '@app/service';
import { WalletLoginService } from '../../ethereum-login/challenges/wallet-login.service.js';
import { PasskeyLoginsService } from '../../passkeys/passkey-logins.service.js';
import { PasskeyReviewsService } from '../../passkeys/passkey-reviews.service.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { BrowserSessionQueries } from '../../browser-sessions/browser-sessions.queries.js';
import { SessionCookieService } from '../../browser-sessions/session-cookie.service.js';
import { z } from 'zod';
import { assertionResponse } from '../../passkeys/passkey.dto.js';

/** Ignores an invalid return path, because the login itself is still valid. */
const loginQuery = z.object({
  to: returnPath,
  again: z.literal('yes').optional().catch(undefined),
  ended: z.literal('yes').optional().catch(undefined),
});
type LoginQuery = z.output<typeof loginQuery>;

const walletChallengeRequest = z.strictObject({ accountId: z.string().min(1).max(256) });
type WalletChallengeRequest = z.output<typeof walletChallengeRequest>;

const passkeyLoginRequest = z.strictObject({
  response: assertionResponse,
  /** The authorization request that requires the login. */
  uid: z.string().max(64).optional(),
});
type PasskeyLoginRequest = z.output<typeof passkeyLoginRequest>;

const walletLoginRequest = z.strictObject({
  requestId: z.string().min(1).max(128),
  accountId: z.string().min(1).max(256),
  signatureType: z.enum(['eip191', 'ed25519']),
  signature: z.string().min(1).max(8_192),
  /** The authorization request that requires the login. */
  uid: z.string().max(64).optional(),
});
type WalletLoginRequest = z.output<typeof walletLoginRequest>;

/** Identifies the login page and the portal in challenges, in place of a client application's id. */
export const PORTAL_CLIENT_ID = 'portal';

/** The gateway sets this header and removes any value from outside. */
export const getClientAddress = (request: Request): string => getHeader(request, 'x-forwarded-for') ?? '';

/** Sign-in on the login page, with the same challenges and checks as for client applications. */
@Injectable()
export class PageLoginService {
  constructor(
    private readonly logins: WalletLoginService,
    private readonly passkeyLogins: PasskeyLoginsService,
    private readonly reviews: PasskeyReviewsService,
    private readonly sessions: BrowserSessionQueries,
    private readonly cookie: SessionCookieService,
    private readonly oidc: OidcService,
    private readonly urls: PublicUrlsConfig,
  ) {}

  createChallenge({ accountId }: WalletChallengeRequest): Promise<{ requestId: string; message: string }> {
    const { authUrl } = this.urls;
    const requester = { clientId: PORTAL_CLIENT_ID, domain: new URL(authUrl).host, uri: `${authUrl}/login` };
    return this.logins.createChallenge(requester, { accountId });
  }

  /**
   * Signs the user in under a new session id, which prevents session fixation. With `uid`, oidc-provider's session keeps the
   * former user until that authorization request resumes.
   * @returns the page to show before the one that the user wanted, if there is one
   */
  async completeLogin(
    session: PageSession,
    { uid, ...signature }: WalletLoginRequest,
    request: Request,
    response: Response,
  ): Promise<{ to?: string }> {
    const requester = { clientId: PORTAL_CLIENT_ID, address: getClientAddress(request) };
    const { userId, account } = await this.logins.completeLogin(requester, signature);
    if (uid === undefined) await this.oidc.signOutOtherUser(userId, request, response);
    clearCacheOfOther(session, userId, response);
    await this.sessions.destroy(session.sessionId);
    const login = { userId, account, amr: [...WALLET_LOGIN_METHODS], signedInFor: uid ?? null };
    const sessionId = await this.sessions.create(login);
    this.cookie.set(response, sessionId);
    // Read back for the time of the login by the database's clock, with which passkeys are compared.
    const user = await this.sessions.touch(sessionId);
    const toReview = user ? await this.reviews.list(user) : [];
    return toReview.length === 0 ? {} : { to: PASSKEY_REVIEW_PATH };
  }

  createPasskeyOptions(sessionId: string): object {
    return this.passkeyLogins.createOptions(sessionId);
  }

  /** Signs the user in with a passkey, as `completeLogin` does with a wallet. */
  async completePasskeyLogin(
    session: PageSession,
    { uid, response: assertion }: PasskeyLoginRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { userId, sessionId } = await this.passkeyLogins.complete(
      session.sessionId,
      assertion,
      uid ?? null,
    );
    if (uid === undefined) await this.oidc.signOutOtherUser(userId, request, response);
    clearCacheOfOther(session, userId, response);
    await this.sessions.destroy(session.sessionId);
    this.cookie.set(response, sessionId);
  }
}

/** A browser keeps refused forms of its user, whose session may have ended without a logout (`page-renderer.ts`). */
function clearCacheOfOther({ user }: PageSession, userId: string, response: Response): void {
  if (user?.userId !== userId) response.setHeader('Clear-Site-Data', '"cache"');
}

@PageController('login')
export class LoginController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  show(
    @CurrentSession() session: PageSession,
    @Query({ schema: loginQuery }) { to = HOME_PATH, again, ended }: LoginQuery,
    @Res() response: Response,
  ): void {
    if (session.user && !again) {
      response.redirect(303, to);
      return;
    }
    // A new login of a signed-in user is asked for where only the wallet suffices.
    const hasEnded = ended !== undefined && !session.user;
    const view = { to, offersPasskeys: !again && this.passkeys.isAvailable, hasEnded };
    const options = { title: 'Sign in', session, script: 'login', asksWallet: true } as const;
    this.pages.send(response, 'login', view, options);
  }
}

/** The endpoints of the login page's script. */
@ScriptController('login')
export class LoginScriptController {
  constructor(private readonly logins: PageLoginService) {}

  @Post('challenges')
  @HttpCode(200)
  createChallenge(
    @Body({ schema: walletChallengeRequest }) body: WalletChallengeRequest,
  ): Promise<{ requestId: string; message: string }> {
    return this.logins.createChallenge(body);
  }

  @Post('passkey-options')
  @HttpCode(200)
  createPasskeyOptions(@CurrentSession() { sessionId }: PageSession): object {
    return this.logins.createPasskeyOptions(sessionId);
  }

  @Post('passkey-sessions')
  @HttpCode(200)
  async completePasskeyLogin(
    @CurrentSession() session: PageSession,
    @Body({ schema: passkeyLoginRequest }) body: PasskeyLoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    await this.logins.completePasskeyLogin(session, body, request, response);
    return {};
  }

  @Post('sessions')
  @HttpCode(200)
  async completeLogin(
    @CurrentSession() session: PageSession,
    @Body({ schema: walletLoginRequest }) body: WalletLoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.logins.completeLogin(session, body, request, response);
  }
}
