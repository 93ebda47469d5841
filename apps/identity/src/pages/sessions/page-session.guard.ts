import { forbidden } from '@app/common';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { setSecurityHeaders } from './security-headers.js';
import { BrowserSessionStore } from '../../browser-sessions/browser-session-store.js';
import { checkOrigin } from './check-origin.js';
import { findLoginHostRedirect } from '../../browser-sessions/find-login-host-redirect.js';
import { LoginHostRequiredError } from './page-session.errors.js';
import { createCsrfToken, isValidCsrfToken, createSessionId } from '../../browser-sessions/session-id.js';
import { SessionCookieService } from '../../browser-sessions/session-cookie.service.js';

const formExpired = () =>
  forbidden('csrf_token_invalid', 'This page has become too old. Go back, load it again, and try once more.');

/**
 * Finds out whose browser asks for a page, and lets nothing be changed from elsewhere than our own pages. The field
 * `csrf` of a body is looked at here and taken away.
 */
@Injectable()
export class PageSessionGuard implements CanActivate {
  constructor(
    private readonly cookie: SessionCookieService,
    private readonly sessions: BrowserSessionStore,
    private readonly urls: PublicUrlsConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    setSecurityHeaders(response);
    const elsewhere = findLoginHostRedirect(request, this.urls);
    if (elsewhere !== undefined) throw new LoginHostRequiredError(elsewhere);
    const known = this.cookie.read(request);
    if (request.method === 'POST') this.checkForm(request, known);
    const sessionId = known ?? this.createAnonymousSession(response);
    const user = known === undefined ? undefined : await this.sessions.touch(known);
    request.visit = { sessionId, csrf: createCsrfToken(sessionId), user };
    return true;
  }

  private checkForm(request: Request, sessionId: string | undefined): void {
    checkOrigin(request, this.urls.authUrl);
    const { csrf, ...fields } = (request.body ?? {}) as Record<string, unknown>;
    if (sessionId === undefined || !isValidCsrfToken(sessionId, csrf)) throw formExpired();
    request.body = fields;
  }

  /** A session in which nobody is signed in is nothing but its cookie. */
  private createAnonymousSession(response: Response): string {
    const id = createSessionId();
    this.cookie.set(response, id);
    return id;
  }
}
