import { FormBody } from '@app/service';
import { Body, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OidcService } from '../../oauth2/oidc.service.js';
import { type LogoutRequest, logoutRequest } from '../../oauth2/requests/logout-request.js';
import { sendContinuePage } from '../consent/send-continue-page.js';
import { PageController } from '../page-controller.decorator.js';
import { BrowserSessionQueries } from '../../browser-sessions/browser-sessions.queries.js';
import { SessionCookieService } from '../../browser-sessions/session-cookie.service.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { LogoutReturnService } from './logout-return.service.js';

@PageController('logout')
export class LogoutController {
  constructor(
    private readonly sessions: BrowserSessionQueries,
    private readonly cookie: SessionCookieService,
    private readonly oidc: OidcService,
    private readonly returns: LogoutReturnService,
    private readonly pages: PageRenderer,
  ) {}

  /** Asks always: any site can send a browser here. */
  @Get()
  async show(
    @CurrentSession() session: PageSession,
    @Query({ schema: logoutRequest }) request: LogoutRequest,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.returns.find(request);
    const back = found && { ...found, state: request.state };
    this.pages.send(response, 'logout', { back }, { title: 'Sign out?', session });
  }

  @Post()
  @FormBody()
  async logOut(
    @CurrentSession() session: PageSession,
    @Body({ schema: logoutRequest }) form: LogoutRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const back = await this.returns.find(form);
    // The browser session is authoritative: without it, oidc-provider's session issues no codes.
    await this.sessions.destroy(session.sessionId);
    this.cookie.clear(response);
    await this.oidc.endSession(request, response);
    response.setHeader('Clear-Site-Data', '"cache", "storage"');
    if (!back) {
      response.redirect(303, '/login');
      return;
    }
    const { application, to } = back;
    sendContinuePage(this.pages, response, { session: { ...session, user: undefined }, application, to });
  }
}
