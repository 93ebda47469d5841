import { FormBody } from '@app/service';
import { Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Oidc } from '../../oauth2/oidc.js';
import { PageController } from '../page-controller.decorator.js';
import { BrowserSessions } from '../../browser-sessions/browser-sessions.js';
import { SessionCookie } from '../../browser-sessions/session-cookie.js';
import type { Visit } from '../session/visit.js';
import { Visited } from '../session/visit.decorator.js';

@PageController('logout')
export class LogoutController {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly cookie: SessionCookie,
    private readonly oidc: Oidc,
  ) {}

  @Post()
  @FormBody()
  async end(@Visited() visit: Visit, @Req() request: Request, @Res() response: Response): Promise<void> {
    // First what decides who is signed in: without it oidc-provider's session gives nobody a code.
    await this.sessions.end(visit.sessionId);
    this.cookie.clear(response);
    await this.oidc.endSession(request, response);
    response.setHeader('Clear-Site-Data', '"cache", "storage"');
    response.redirect(303, '/login');
  }
}
