import { forbidden } from '@app/common';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicUrlsConfig } from '../../public-urls.config.js';
import { setSecurityHeaders } from '../views/security-headers.js';
import { BrowserSessions } from '../../browser-sessions/browser-sessions.js';
import { checkOrigin } from './check-origin.js';
import { hostOfLogins } from '../../browser-sessions/host-of-logins.js';
import { OtherHost } from './other-host.js';
import { csrfTokenOf, isCsrfTokenOf, newSessionId } from '../../browser-sessions/session-id.js';
import { SessionCookie } from '../../browser-sessions/session-cookie.js';

const staleForm = () =>
  forbidden('stale_form', 'This page has become too old. Go back, load it again, and try once more.');

/**
 * Finds out whose browser asks for a page, and lets nothing be changed from elsewhere than our own pages. The field
 * `csrf` of a body is looked at here and taken away.
 */
@Injectable()
export class VisitGuard implements CanActivate {
  constructor(
    private readonly cookie: SessionCookie,
    private readonly sessions: BrowserSessions,
    private readonly urls: PublicUrlsConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    setSecurityHeaders(response);
    const elsewhere = hostOfLogins(request, this.urls);
    if (elsewhere !== undefined) throw new OtherHost(elsewhere);
    const known = this.cookie.read(request);
    if (request.method === 'POST') this.checkForm(request, known);
    const sessionId = known ?? this.beginNameless(response);
    const user = known === undefined ? undefined : await this.sessions.see(known);
    request.visit = { sessionId, csrf: csrfTokenOf(sessionId), user };
    return true;
  }

  private checkForm(request: Request, sessionId: string | undefined): void {
    checkOrigin(request, this.urls.authUrl);
    const { csrf, ...fields } = (request.body ?? {}) as Record<string, unknown>;
    if (sessionId === undefined || !isCsrfTokenOf(sessionId, csrf)) throw staleForm();
    request.body = fields;
  }

  /** A session in which nobody is signed in is nothing but its cookie. */
  private beginNameless(response: Response): string {
    const id = newSessionId();
    this.cookie.set(response, id);
    return id;
  }
}
