import { forbidden } from '@app/common';
import { getHeader } from '@app/service';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { setSecurityHeaders } from './security-headers.js';
import { BrowserSessionQueries, type SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import type { SessionNotice } from '../../browser-sessions/session-notice.js';
import { findLoginHostRedirect } from '../../browser-sessions/find-login-host-redirect.js';
import { CLEARED_BY_LOGOUT, isReturnPath, LOGOUT_PATH, returnPath } from './login-path.js';
import { LoginHostRequiredError, SignedOutError, SignInRequiredError } from './page-session.errors.js';
import {
  createCsrfToken,
  isValidCsrfToken,
  createSessionId,
  SessionCookieService,
} from '../../browser-sessions/session-cookie.service.js';
import { UserNamesService } from '../../users/ens/user-names.service.js';
import type { PageUser } from './page-session.decorator.js';

const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

const formExpired = () =>
  forbidden('csrf_token_invalid', 'This page has expired. Load it again and try once more.');

/** Loads the browser's session and protects forms against CSRF. */
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
    if (request.method === 'POST') checkOrigin(request, this.urls.authUrl);
    const sessionId = existingId ?? this.createAnonymousSession(response);
    const stored = existingId === undefined ? undefined : await this.sessions.touch(existingId);
    const user = stored && (await this.toPageUser(stored));
    const notice = await this.takeNotice(request, sessionId, stored?.notice);
    request.pageSession = { sessionId, csrf: createCsrfToken(sessionId), user, notice };
    if (request.method === 'POST') checkForm(request, response, existingId, user);
    return true;
  }

  private async toPageUser(user: SessionUser): Promise<PageUser> {
    return { ...user, shownName: user.name ?? (await this.names.findUsername(user, 'pages')) };
  }

  /** The page that a notice names shows it, once; a page that is fetched in advance may never be seen. */
  private async takeNotice(
    request: Request,
    sessionId: string,
    notice: SessionNotice | null | undefined,
  ): Promise<SessionNotice | undefined> {
    if (!notice || request.method !== 'GET' || request.path !== notice.path) return undefined;
    if (getHeader(request, 'sec-purpose')?.includes('prefetch')) return undefined;
    return (await this.sessions.dropNotice(sessionId, notice)) ? notice : undefined;
  }

  /** An anonymous session consists of its cookie only. */
  private createAnonymousSession(response: Response): string {
    const id = createSessionId();
    this.cookie.set(response, id);
    return id;
  }
}

/**
 * Removes the CSRF token from the form after its check. A form of a user who has signed out in another tab changes nothing, so that its
 * browser is led to the login page instead, and gets back what was filled in.
 * @throws AppError 403
 */
function checkForm(
  request: Request,
  response: Response,
  sessionId: string | undefined,
  user: PageUser | undefined,
): void {
  const { csrf, ...fields } = (request.body ?? {}) as Record<string, unknown>;
  if (sessionId !== undefined && isValidCsrfToken(sessionId, csrf)) {
    request.body = fields;
    return;
  }
  // A script cannot follow a redirect to a page.
  if (user === undefined && request.is(FORM_MEDIA_TYPE) !== false) {
    if (request.path === LOGOUT_PATH) {
      // What the browser has kept of the session is cleared, as a logout clears it.
      response.setHeader('Clear-Site-Data', CLEARED_BY_LOGOUT);
      throw new SignedOutError(returnPath.parse(fields['to']));
    }
    if (isReturnPath(request.path)) throw new SignInRequiredError(request.path);
  }
  throw formExpired();
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
