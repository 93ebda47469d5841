import { FormBody } from '@app/service';
import { Body, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApplicationCredentialsService } from '../../applications/credentials/application-credentials.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentWalletSession } from '../sessions/page-session.decorator.js';
import { oneTimeForm, type OneTimeForm, type OverlapForm, overlapForm } from './overlap-form.js';
import { SecretFormService } from './secret-form.service.js';

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
