import { FormBody } from '@app/service';
import { Body, Get, Post, Query, Req, Res, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { OidcService } from '../../oauth2/oidc.service.js';
import { type LogoutRequest, logoutRequest } from '../../oauth2/requests/logout-request.js';
import { sendContinuePage } from '../consent/interaction.service.js';
import { PageController } from '../page-controller.decorator.js';
import { BrowserSessionQueries } from '../../browser-sessions/browser-sessions.queries.js';
import { SessionCookieService } from '../../browser-sessions/session-cookie.service.js';
import {
  CLEARED_BY_LOGOUT,
  HOME_PATH,
  LOGOUT_PATH,
  returnPath,
  SIGNED_OUT_PATH,
  toLoginPath,
  toSignedOutPath,
} from '../sessions/login-path.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { Database } from '@app/database';
import { isReviewed } from '../../applications/reviewed-values.js';
import { findLogoutApplication } from '../../applications/entities/client-applications.queries.js';
import { summariseApplication } from '../views/summarise-application.js';
import type { ApplicationSummary } from '../views/page-views.js';

/** With the page of this site to which a login after the logout leads back. */
const logoutForm = logoutRequest.extend({ to: returnPath });
type LogoutForm = z.output<typeof logoutForm>;

const signedOutQuery = z.object({ to: returnPath });
type SignedOutQuery = z.output<typeof signedOutQuery>;

/** The page to which the browser goes after a logout that an application began. */
export interface LogoutReturn {
  readonly clientId: string;
  readonly application: ApplicationSummary;
  /** The URI as registered. */
  readonly uri: string;
  /** `uri` with the state of the request. */
  readonly to: string;
}

@Injectable()
export class LogoutReturnService {
  constructor(
    private readonly oidc: OidcService,
    private readonly database: Database,
  ) {}

  /**
   * Undefined unless the request names an application that has registered the address byte for byte. Any site can bring
   * a user to the page, so it leads to no address of an application that waits for its first approval or was rejected.
   */
  async find(request: LogoutRequest): Promise<LogoutReturn | undefined> {
    const { post_logout_redirect_uri: uri, state } = request;
    const clientId = uri === undefined ? undefined : await this.findClientId(request);
    if (uri === undefined || clientId === undefined) return undefined;
    const application = await findLogoutApplication(this.database, clientId);
    if (!application?.postLogoutRedirectUris.includes(uri)) return undefined;
    const hasApproval = isReviewed(application);
    if (!hasApproval && application.status !== 'approved') return undefined;
    const shown = summariseApplication(clientId, uri, hasApproval ? application.name : undefined);
    return { clientId, application: shown, uri, to: addState(uri, state) };
  }

  /** The client of a valid id token; `client_id` alone suffices, because the page asks, and must not contradict it. */
  private async findClientId({ id_token_hint: hint, client_id: named }: LogoutRequest) {
    if (hint === undefined) return named;
    const hinted = await this.oidc.findClientOfIdToken(hint);
    return named === undefined || named === hinted ? hinted : undefined;
  }
}

/** Keeps the registered bytes, which `URL` would normalise. */
const addState = (uri: string, state: string | undefined): string =>
  state === undefined ? uri : `${uri}${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`;

@PageController(LOGOUT_PATH.slice(1))
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
    @Body({ schema: logoutForm }) form: LogoutForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const back = await this.returns.find(form);
    // The browser session is authoritative: without it, oidc-provider's session issues no codes.
    await this.sessions.destroy(session.sessionId);
    this.cookie.clear(response);
    await this.oidc.endSession(request, response);
    response.setHeader('Clear-Site-Data', CLEARED_BY_LOGOUT);
    if (!back) {
      response.redirect(303, toSignedOutPath(form.to));
      return;
    }
    const { application, to } = back;
    sendContinuePage(this.pages, response, { session: { ...session, user: undefined }, application, to });
  }
}

/** The page after a logout. Anybody may open it: a browser whose session had ended already comes here, too. */
@PageController(SIGNED_OUT_PATH.slice(1))
export class SignedOutController {
  constructor(private readonly pages: PageRenderer) {}

  @Get()
  show(
    @CurrentSession() session: PageSession,
    @Query({ schema: signedOutQuery }) { to }: SignedOutQuery,
    @Res() response: Response,
  ): void {
    if (session.user) {
      response.redirect(303, to ?? HOME_PATH);
      return;
    }
    const view = { loginPath: toLoginPath(to ?? ''), returns: to !== undefined };
    this.pages.send(response, 'signed-out', view, { title: 'You are signed out', session });
  }
}
