import { FormBody } from '@app/service';
import { Body, Param, Post, Req, Res, Get } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApplicationCredentialsService } from '../../applications/credentials/application-credentials.service.js';
import { PageController } from '../page-controller.decorator.js';
import {
  type SignedInSession,
  CurrentWalletSession,
  CurrentSignedInSession,
} from '../sessions/page-session.decorator.js';
import { oneTimeForm, type OneTimeForm, type OverlapForm, overlapForm } from './application-form.js';
import { SecretFormService } from './secret-form.service.js';
import { PageRenderer } from '../views/page-renderer.js';

/** Client secrets and API keys of an application. The next page shows a new one, once. */
@PageController('portal/applications/:id')
export class CredentialsPageController {
  constructor(
    private readonly credentials: ApplicationCredentialsService,
    private readonly forms: SecretFormService,
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
      this.credentials.rotateClientSecret(userId, id, overlap, submission),
    );
    response.redirect(303, path);
  }

  @Post('keys')
  @FormBody()
  async createKey(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: oneTimeForm }) { form }: OneTimeForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    const path = await this.forms.submit(session, request.path, form, (submission) =>
      this.credentials.createApiKey(userId, id, submission),
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
      this.credentials.rotateApiKey(userId, id, keyId, overlap, submission),
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
}

/** The page with new credentials, which cannot be shown again. */
@PageController('portal/secrets')
export class SecretsController {
  constructor(
    private readonly forms: SecretFormService,
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
    this.pages.send(response, 'secrets', secrets, {
      title: 'Save your credentials',
      session,
      script: 'copy-buttons',
      section: 'applications',
    });
  }
}
