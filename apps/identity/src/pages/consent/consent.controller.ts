import { forbidden } from '@app/common';
import type { Scope } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { OidcService } from '../../oauth2/oidc.service.js';
import { describeScope } from '../views/format-values.js';
import type { ConsentChoice } from '../views/page-views.js';
import { type Interaction, InteractionService, sendContinuePage } from './interaction.service.js';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { ConsentDecision } from '../../oauth2/storage/oauth-models.queries.js';

const toFieldName = (scope: string): string => `scope.${scope}`;

/** An OpenID Connect request needs this scope, so the user can refuse it only by refusing the request. */
const REQUIRED_SCOPE: Scope = 'openid';

const toConsentChoices = (scopes: readonly string[]): ConsentChoice[] =>
  scopes.map((scope) => ({
    field: toFieldName(scope),
    scope,
    label: describeScope(scope),
    isRequired: scope === REQUIRED_SCOPE,
  }));

const consentForm = z.object({ decision: z.enum(['grant', 'deny']) }).catchall(z.string());
type ConsentForm = z.output<typeof consentForm>;

function parseConsentDecision(scopes: readonly string[], form: ConsentForm): ConsentDecision {
  const isGranted = (scope: string) => scope === REQUIRED_SCOPE || form[toFieldName(scope)] === 'on';
  return {
    granted: scopes.filter(isGranted),
    refused: scopes.filter((scope) => !isGranted(scope)),
  };
}

const otherUser = () =>
  forbidden(
    'user_forbidden',
    'Another user signed in for this request. Go back to the application and start again.',
  );

const DENIED = { error: 'access_denied', error_description: 'The user did not allow it' };

/** The consent page. Only the browser that started the request and the user who signed in for it may decide. */
@PageController('consent/:uid')
export class ConsentController {
  constructor(
    private readonly interactions: InteractionService,
    private readonly oidc: OidcService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('uid') uid: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const interaction = await this.load(uid, session, request, response);
    if (interaction.prompt === 'consent') this.send(response, session, interaction);
    else response.redirect(303, `/login/${uid}`);
  }

  @Post()
  @FormBody()
  async decide(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('uid') uid: string,
    @Body({ schema: consentForm }) form: ConsentForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const interaction = await this.load(uid, session, request, response);
    const { granted, refused } = parseConsentDecision(interaction.scopes, form);
    if (interaction.prompt !== 'consent') {
      response.redirect(303, `/login/${uid}`);
    } else if (form.decision === 'grant' && granted.length === 0) {
      this.send(response, session, interaction, 'Select at least one permission, or deny access.');
    } else {
      const result =
        form.decision === 'deny' ? DENIED : await this.grant(session, interaction, { granted, refused });
      const to = await this.oidc.finishInteraction(request, response, result);
      sendContinuePage(this.pages, response, { session, application: interaction.application, to });
    }
  }

  private async grant({ user }: SignedInSession, { clientId }: Interaction, decision: ConsentDecision) {
    return { consent: { grantId: await this.oidc.recordConsent(user.userId, clientId, decision) } };
  }

  private async load(
    uid: string,
    session: SignedInSession,
    request: Request,
    response: Response,
  ): Promise<Interaction> {
    const interaction = await this.interactions.load(uid, request, response);
    if (interaction.prompt === 'consent' && interaction.userId !== session.user.userId) throw otherUser();
    return interaction;
  }

  private send(
    response: Response,
    session: SignedInSession,
    interaction: Interaction,
    problem?: string,
  ): void {
    const { application, clientId, scopes, uid } = interaction;
    const view = { application, clientId, choices: toConsentChoices(scopes), uid, problem };
    const status = problem === undefined ? 200 : 422;
    const title = `Allow ${application.name}?`;
    const showsIcon = application.iconUrl !== null;
    this.pages.send(response, 'consent', view, { title, session, status, showsIcon });
  }
}
