import { FormBody } from '@app/service';
import { Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OidcService } from '../../oauth2/oidc.service.js';
import { PageController } from '../page-controller.decorator.js';
import { BrowserSessionQueries } from '../../browser-sessions/browser-sessions.queries.js';
import { SessionCookieService } from '../../browser-sessions/session-cookie.service.js';
import type { PageSession } from '../sessions/page-session.js';
import { CurrentSession } from '../sessions/page-session.decorator.js';

@PageController('logout')
export class LogoutController {
  constructor(
    private readonly sessions: BrowserSessionQueries,
    private readonly cookie: SessionCookieService,
    private readonly oidc: OidcService,
  ) {}

  @Post()
  @FormBody()
  async logOut(
    @CurrentSession() session: PageSession,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // The browser session is authoritative: without it, oidc-provider's session issues no codes.
    await this.sessions.destroy(session.sessionId);
    this.cookie.clear(response);
    await this.oidc.endSession(request, response);
    response.setHeader('Clear-Site-Data', '"cache", "storage"');
    response.redirect(303, '/login');
  }
}
