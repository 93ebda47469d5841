import { WALLET_LOGIN_METHODS } from '@app/auth';
import { FormBody } from '@app/service';
import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PasskeysService } from '../../passkeys/passkeys.service.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import { InteractionService, type Interaction, sendContinuePage } from '../consent/interaction.service.js';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';

/** The login page for an authorization request. A user who is already signed in returns to it immediately. */
@PageController('login/:uid')
export class ApplicationLoginController {
  constructor(
    private readonly interactions: InteractionService,
    private readonly oidc: OidcService,
    private readonly passkeys: PasskeysService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(
    @CurrentSession() session: PageSession,
    @Param('uid') uid: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const interaction = await this.interactions.load(uid, request, response);
    if (interaction.prompt !== 'login') {
      response.redirect(303, `/consent/${uid}`);
      return;
    }
    const { user } = session;
    if (user && isLoginFresh(interaction, user)) {
      const ts = Math.floor(user.signedInAt.getTime() / 1_000);
      const amr = user.amr ?? [...WALLET_LOGIN_METHODS];
      const login = { accountId: user.userId, ts, amr, remember: false };
      response.redirect(303, await this.oidc.finishInteraction(request, response, { login }));
      return;
    }
    const view = {
      application: interaction.application,
      uid,
      to: `/login/${uid}`,
      offersPasskeys: this.passkeys.isAvailable,
    };
    const options = { title: 'Sign in', session, script: 'login', asksWallet: true } as const;
    this.pages.send(response, 'login', view, options);
  }

  @Post('cancel')
  @FormBody()
  async cancel(
    @CurrentSession() session: PageSession,
    @Param('uid') uid: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { application } = await this.interactions.load(uid, request, response);
    const denied = { error: 'access_denied', error_description: 'The user did not sign in' };
    sendContinuePage(this.pages, response, {
      session,
      application,
      to: await this.oidc.finishInteraction(request, response, denied),
    });
  }
}

/** Prompt reasons that an earlier login satisfies. All others require a new login. */
const REASONS_MET_BY_EARLIER_LOGIN = new Set(['no_session', 'other_user', 'max_age']);

/** Whether a login satisfies an authorization request: it was made for this request, or the request accepts an earlier one. */
export function isLoginFresh(
  { uid, reasons, maxAge }: Pick<Interaction, 'uid' | 'reasons' | 'maxAge'>,
  { signedInFor, signedInAt }: Pick<SessionUser, 'signedInFor' | 'signedInAt'>,
  now = Date.now(),
): boolean {
  if (signedInFor === uid) return true;
  if (reasons.some((reason) => !REASONS_MET_BY_EARLIER_LOGIN.has(reason))) return false;
  return maxAge === undefined || now - signedInAt.getTime() <= maxAge * 1_000;
}
