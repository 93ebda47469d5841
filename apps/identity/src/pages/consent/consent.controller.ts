import { forbidden } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OidcService } from '../../oauth2/oidc.service.js';
import { type Interaction, InteractionService } from './interaction.service.js';
import { sendContinuePage } from './send-continue-page.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import {
  type ConsentDecision,
  parseConsentDecision,
  toConsentChoices,
  consentForm,
  type ConsentForm,
} from './consent-form.js';

const otherUser = () =>
  forbidden(
    'user_forbidden',
    'Somebody else signed in for this request. Go back to the application and start again.',
  );

const DENIED = { error: 'access_denied', error_description: 'The user did not allow it' };

/** What may the application do? Asked of the browser that began, and of the user who signed in for it. */
@PageController('consent/:uid')
export class ConsentController {
  constructor(
    private readonly interactions: InteractionService,
    private readonly oidc: OidcService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('uid') uid: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const interaction = await this.load(uid, visit, request, response);
    if (interaction.prompt === 'consent') this.send(response, visit, interaction);
    else response.redirect(303, `/login/${uid}`);
  }

  @Post()
  @FormBody()
  async decide(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('uid') uid: string,
    @Body({ schema: consentForm }) form: ConsentForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const interaction = await this.load(uid, visit, request, response);
    const { granted, refused } = parseConsentDecision(interaction.scopes, form);
    if (interaction.prompt !== 'consent') {
      response.redirect(303, `/login/${uid}`);
    } else if (form.decision === 'grant' && granted.length === 0) {
      this.send(response, visit, interaction, 'Leave at least one of them checked, or deny.');
    } else {
      const result =
        form.decision === 'deny' ? DENIED : await this.grant(visit, interaction, { granted, refused });
      const to = await this.oidc.finishInteraction(request, response, result);
      sendContinuePage(this.pages, response, { session: visit, application: interaction.application, to });
    }
  }

  private async grant({ user }: SignedInSession, { clientId }: Interaction, choice: ConsentDecision) {
    return { consent: { grantId: await this.oidc.recordConsent(user.userId, clientId, choice) } };
  }

  private async load(
    uid: string,
    visit: SignedInSession,
    request: Request,
    response: Response,
  ): Promise<Interaction> {
    const interaction = await this.interactions.load(uid, request, response);
    if (interaction.prompt === 'consent' && interaction.userId !== visit.user.userId) throw otherUser();
    return interaction;
  }

  private send(response: Response, visit: SignedInSession, interaction: Interaction, problem?: string): void {
    const { application, scopes, uid } = interaction;
    const view = { application, choices: toConsentChoices(scopes), uid, problem };
    const status = problem === undefined ? 200 : 422;
    const title = `Allow ${application.name}?`;
    const showsIcon = application.iconUrl !== null;
    this.pages.send(response, 'consent', view, { title, session: visit, status, showsIcon });
  }
}
