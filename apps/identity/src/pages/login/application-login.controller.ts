import { FormBody } from '@app/service';
import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Oidc } from '../../oauth2/oidc.js';
import { Interactions } from '../interactions/interactions.js';
import { sendOn } from '../interactions/send-on.js';
import { PageController } from '../page-controller.decorator.js';
import type { Visit } from '../session/visit.js';
import { Visited } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { isFresh } from './is-fresh.js';

/** Sign-in because an application asks for it. Who is signed in already goes on at once. */
@PageController('login/:uid')
export class ApplicationLoginController {
  constructor(
    private readonly interactions: Interactions,
    private readonly oidc: Oidc,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(
    @Visited() visit: Visit,
    @Param('uid') uid: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const interaction = await this.interactions.find(uid, request, response);
    if (interaction.prompt !== 'login') {
      response.redirect(303, `/consent/${uid}`);
      return;
    }
    const { user } = visit;
    if (user && isFresh(interaction, user)) {
      const ts = Math.floor(user.signedInAt.getTime() / 1_000);
      const login = { accountId: user.userId, ts, remember: false };
      response.redirect(303, await this.oidc.decide(request, response, { login }));
      return;
    }
    const view = { application: interaction.application, uid, to: `/login/${uid}` };
    this.pages.send(response, 'login', view, { title: 'Sign in', visit, script: 'login' });
  }

  @Post('cancel')
  @FormBody()
  async cancel(
    @Visited() visit: Visit,
    @Param('uid') uid: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { application } = await this.interactions.find(uid, request, response);
    const refusal = { error: 'access_denied', error_description: 'The user did not sign in' };
    sendOn(this.pages, response, {
      visit,
      application,
      to: await this.oidc.decide(request, response, refusal),
    });
  }
}
