import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { WalletLoginService } from '../../ethereum-login/challenges/wallet-login.service.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { BrowserSessionStore } from '../../browser-sessions/browser-session-store.js';
import { SessionCookieService } from '../../browser-sessions/session-cookie.service.js';
import type { PageSession } from '../sessions/page-session.js';
import type { WalletChallengeRequest, WalletLoginRequest } from './login.dto.js';

/** Challenges of our own pages bear this name instead of a client application's. */
const PORTAL_CLIENT_ID = 'portal';

/** As the gateway found it: it lets no other through. */
const getClientAddress = (request: Request): string => request.get('x-forwarded-for') ?? '';

/** Sign-in on our own pages: the same challenges and checks as client applications get. */
@Injectable()
export class PageLoginService {
  constructor(
    private readonly logins: WalletLoginService,
    private readonly sessions: BrowserSessionStore,
    private readonly cookie: SessionCookieService,
    private readonly oidc: OidcService,
    private readonly urls: PublicUrlsConfig,
  ) {}

  createChallenge({ accountId }: WalletChallengeRequest): Promise<{ requestId: string; message: string }> {
    const { authUrl } = this.urls;
    const asker = { clientId: PORTAL_CLIENT_ID, domain: new URL(authUrl).host, uri: `${authUrl}/login` };
    return this.logins.createChallenge(asker, { accountId });
  }

  /**
   * The session gets a new id: whoever knew the one before the login knows nothing. A request that waits for this very login
   * still has to be known as the former user's; it makes room itself when it goes on.
   */
  async completeLogin(
    visit: PageSession,
    { uid, ...signature }: WalletLoginRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    const asker = { clientId: PORTAL_CLIENT_ID, address: getClientAddress(request) };
    const { userId, account } = await this.logins.completeLogin(asker, signature);
    if (uid === undefined) await this.oidc.signOutOtherUser(userId, request, response);
    await this.sessions.destroy(visit.sessionId);
    this.cookie.set(response, await this.sessions.create({ userId, account, signedInFor: uid ?? null }));
  }
}
