import { FormBody } from '@app/service';
import { Body, Param, Post, Req, Res, Get } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApplicationCredentialsService } from '../../applications/credentials/application-credentials.service.js';
import { PublishableIdsService } from '../../applications/publishable-ids/publishable-ids.service.js';
import { toFormProblems } from '../communities/form-problems.js';
import { PageController } from '../page-controller.decorator.js';
import {
  type SignedInSession,
  CurrentWalletSession,
  CurrentSignedInSession,
} from '../sessions/page-session.decorator.js';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { type OverlapForm, overlapForm } from './application-form.js';
import type { IssuedSecrets } from '../../applications/credentials/form-submission.js';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { describeFirstCall } from './first-call.js';
import { ApplicationPageRenderer } from './application-page-renderer.js';
import { type NewKeyForm, newKeyForm, parseKeyForm, toKeyFormView } from './key-form.js';
import {
  ORIGINS_FIELD,
  parsePublishableIdForm,
  publishableIdForm,
  type PublishableIdForm,
  toPublishableIdFormView,
} from './publishable-id-form.js';
import { SecretFormService } from './secret-form.service.js';
import { PageRenderer } from '../views/page-renderer.js';

/** Client secrets and API keys of an application, of which the next page shows a new one, once, and its publishable ids. */
@PageController('portal/applications/:id')
export class CredentialsPageController {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly credentials: ApplicationCredentialsService,
    private readonly publishableIds: PublishableIdsService,
    private readonly forms: SecretFormService,
    private readonly page: ApplicationPageRenderer,
  ) {}

  @Post('secret')
  @FormBody()
  async rotateSecret(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: overlapForm }) { overlap, form }: OverlapForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    const path = await this.forms.submit(session, request.path, form, (submission) =>
      this.credentials.rotateClientSecret(userId, id, { overlapSeconds: overlap }, submission),
    );
    response.redirect(303, path);
  }

  @Post('keys')
  @FormBody()
  async createKey(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: newKeyForm }) { form, ...fields }: NewKeyForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    const parsed = parseKeyForm(fields);
    if (!parsed.ok) {
      const { requestedScopes } = await this.applications.get(userId, id);
      const keyForm = toKeyFormView(requestedScopes, fields, parsed.problems);
      await this.page.send(response, session, id, { keyForm });
      return;
    }
    const path = await this.forms.submit(session, request.path, form, (submission) =>
      this.credentials.createApiKey(userId, id, parsed.terms, submission),
    );
    response.redirect(303, path);
  }

  @Post('keys/:keyId/rotate')
  @FormBody()
  async rotateKey(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Param('keyId') keyId: string,
    @Body({ schema: overlapForm }) { overlap, form }: OverlapForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    const path = await this.forms.submit(session, request.path, form, (submission) =>
      this.credentials.rotateApiKey(userId, id, keyId, { overlapSeconds: overlap }, submission),
    );
    response.redirect(303, path);
  }

  @Post('keys/:keyId/revoke')
  @FormBody()
  async revokeKey(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Param('keyId') keyId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.credentials.revokeApiKey(session.user.userId, id, keyId);
    response.redirect(303, `/portal/applications/${id}`);
  }

  @Post('publishable-ids')
  @FormBody()
  async createPublishableId(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: publishableIdForm }) { form, ...fields }: PublishableIdForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    const showAgain = (problems: Record<string, string>) =>
      this.page.send(response, session, id, { publishableIdForm: toPublishableIdFormView(fields, problems) });
    const parsed = parsePublishableIdForm(fields);
    if (!parsed.ok) return showAgain(parsed.problems);
    try {
      // Nothing is kept for a page of secrets, because a publishable id is none.
      await this.forms.submit(session, request.path, form, (submission) =>
        this.publishableIds.create(userId, id, { origins: parsed.origins }, submission),
      );
    } catch (error) {
      return showAgain(toFormProblems(error, ORIGINS_FIELD));
    }
    response.redirect(303, `/portal/applications/${id}#publishable-ids`);
  }

  @Post('publishable-ids/:publishableId/revoke')
  @FormBody()
  async revokePublishableId(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Param('publishableId') publishableId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.publishableIds.revoke(session.user.userId, id, publishableId);
    response.redirect(303, `/portal/applications/${id}#publishable-ids`);
  }
}

/** The page with new credentials, which cannot be shown again. */
@PageController('portal/secrets')
export class SecretsController {
  constructor(
    private readonly forms: SecretFormService,
    private readonly applications: ClientApplicationsService,
    private readonly urls: PublicUrlsConfig,
    private readonly pages: PageRenderer,
  ) {}

  @Get(':reference')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('reference') reference: string,
    @Res() response: Response,
  ): Promise<void> {
    const secrets = await this.forms.take(session, reference);
    if (!secrets) {
      response.redirect(303, '/portal');
      return;
    }
    const next = await this.describeNextStep(session.user.userId, secrets);
    this.pages.send(
      response,
      'secrets',
      { ...secrets, ...(next && { next }) },
      {
        title: 'Save your credentials',
        session,
        script: 'copy-buttons',
        section: 'applications',
      },
    );
  }

  /** Undefined unless the credentials are the first ones of an application. */
  private async describeNextStep(userId: string, { clientId, clientSecret, apiKey }: IssuedSecrets) {
    if (apiKey === undefined || clientSecret === undefined) return undefined;
    const application = await this.applications.get(userId, clientId);
    const { PUBLIC_URL } = this.urls;
    const firstCall = describeFirstCall(application, apiKey, PUBLIC_URL);
    return { firstCall, explorerUrl: `${PUBLIC_URL}/explorer` };
  }
}
