import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { WalletLogins } from '../../ethereum-login/wallet-logins.js';
import { Oidc } from '../../oauth2/oidc.js';
import { PublicUrlsConfig } from '../../public-urls.config.js';
import { BrowserSessions } from '../../browser-sessions/browser-sessions.js';
import { SessionCookie } from '../../browser-sessions/session-cookie.js';
import type { Visit } from '../session/visit.js';
import type { WalletQuestion, WalletSignature } from './login.dto.js';

/** Challenges of our own pages bear this name instead of a client application's. */
const PORTAL = 'portal';

/** As the gateway found it: it lets no other through. */
const browserAddress = (request: Request): string => request.get('x-forwarded-for') ?? '';

/** Sign-in on our own pages: the same challenges and checks as client applications get. */
@Injectable()
export class PageLogins {
  constructor(
    private readonly logins: WalletLogins,
    private readonly sessions: BrowserSessions,
    private readonly cookie: SessionCookie,
    private readonly oidc: Oidc,
    private readonly urls: PublicUrlsConfig,
  ) {}

  begin({ accountId }: WalletQuestion): Promise<{ requestId: string; message: string }> {
    const { authUrl } = this.urls;
    const asker = { clientId: PORTAL, domain: new URL(authUrl).host, uri: `${authUrl}/login` };
    return this.logins.begin(asker, { accountId });
  }

  /**
   * The session gets a new id: whoever knew the one before the login knows nothing. A request that waits for this very login
   * still has to be known as the former user's; it makes room itself when it goes on.
   */
  async finish(
    visit: Visit,
    { uid, ...signature }: WalletSignature,
    request: Request,
    response: Response,
  ): Promise<void> {
    const asker = { clientId: PORTAL, address: browserAddress(request) };
    const { userId, account } = await this.logins.finish(asker, signature);
    if (uid === undefined) await this.oidc.makeRoomFor(userId, request, response);
    await this.sessions.end(visit.sessionId);
    this.cookie.set(response, await this.sessions.begin({ userId, account, signedInFor: uid ?? null }));
  }
}
