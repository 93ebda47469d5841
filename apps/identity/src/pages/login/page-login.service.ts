import { WALLET_LOGIN_METHODS } from '@app/auth';
import { Injectable } from '@nestjs/common';
import { getHeader } from '@app/service';
import type { Request, Response } from 'express';
import { WalletLoginService } from '../../ethereum-login/challenges/wallet-login.service.js';
import { PasskeyLoginsService } from '../../passkeys/passkey-logins.service.js';
import { PasskeyReviewsService } from '../../passkeys/passkey-reviews.service.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { BrowserSessionQueries } from '../../browser-sessions/browser-sessions.queries.js';
import { SessionCookieService } from '../../browser-sessions/session-cookie.service.js';
import { PASSKEY_REVIEW_PATH } from '../sessions/login-path.js';
import type { PageSession } from '../sessions/page-session.decorator.js';
import type { PasskeyLoginRequest, WalletChallengeRequest, WalletLoginRequest } from './login.dto.js';

/** Identifies the login page in challenges, in place of a client application's id. */
const PORTAL_CLIENT_ID = 'portal';

/** The gateway sets this header and removes any value from outside. */
const getClientAddress = (request: Request): string => getHeader(request, 'x-forwarded-for') ?? '';

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
    await this.sessions.destroy(session.sessionId);
    this.cookie.set(response, sessionId);
  }
}
