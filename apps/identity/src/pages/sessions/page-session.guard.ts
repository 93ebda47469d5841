import { forbidden } from '@app/common';
import { getHeader } from '@app/service';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { setSecurityHeaders } from './security-headers.js';
import { BrowserSessionQueries } from '../../browser-sessions/browser-sessions.queries.js';
import { findLoginHostRedirect } from '../../browser-sessions/find-login-host-redirect.js';
import { LoginHostRequiredError } from './page-session.errors.js';
import {
  createCsrfToken,
  isValidCsrfToken,
  createSessionId,
  SessionCookieService,
} from '../../browser-sessions/session-cookie.service.js';
import { UserNamesService } from '../../users/ens/user-names.service.js';
import type { PageUser } from './page-session.decorator.js';

const formExpired = () =>
  forbidden('csrf_token_invalid', 'This page has expired. Go back, reload it and try again.');

/**
 * Loads the browser's session and protects forms against CSRF. Checks the field `csrf` of the body and removes it.
 */
@Injectable()
export class PageSessionGuard implements CanActivate {
  constructor(
    private readonly cookie: SessionCookieService,
    private readonly sessions: BrowserSessionQueries,
    private readonly urls: PublicUrlsConfig,
    private readonly names: UserNamesService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    setSecurityHeaders(response);
    const redirectUrl = findLoginHostRedirect(request, this.urls);
    if (redirectUrl !== undefined) throw new LoginHostRequiredError(redirectUrl);
    const existingId = this.cookie.read(request);
    if (request.method === 'POST') this.checkForm(request, existingId);
    const sessionId = existingId ?? this.createAnonymousSession(response);
    const user = existingId === undefined ? undefined : await this.loadUser(existingId);
    request.pageSession = { sessionId, csrf: createCsrfToken(sessionId), user };
    return true;
  }

  private async loadUser(sessionId: string): Promise<PageUser | undefined> {
    const user = await this.sessions.touch(sessionId);
    return user && { ...user, shownName: user.name ?? (await this.names.findUsername(user, 'pages')) };
  }

  private checkForm(request: Request, sessionId: string | undefined): void {
    checkOrigin(request, this.urls.authUrl);
    const { csrf, ...fields } = (request.body ?? {}) as Record<string, unknown>;
    if (sessionId === undefined || !isValidCsrfToken(sessionId, csrf)) throw formExpired();
    request.body = fields;
  }

  /** An anonymous session consists of its cookie only. */
  private createAnonymousSession(response: Response): string {
    const id = createSessionId();
    this.cookie.set(response, id);
    return id;
  }
}

const originForbidden = () => forbidden('origin_forbidden', 'This request came from another site.');

/**
 * Checks that a state-changing request comes from this site, by `Origin` or `Sec-Fetch-Site`. One of them must be present,
 * and neither may contradict it.
 * @throws AppError 403
 */
export function checkOrigin(request: Request, ownOrigin: string): void {
  const origin = getHeader(request, 'origin');
  const site = getHeader(request, 'sec-fetch-site');
  const isOwn = origin === ownOrigin || site === 'same-origin';
  if (!isOwn || (origin ?? ownOrigin) !== ownOrigin || (site ?? 'same-origin') !== 'same-origin')
    throw originForbidden();
}
