import { FormBody } from '@app/service';
import { Body, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApplicationCredentialsService } from '../../applications/credentials/application-credentials.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { ApplicationPageRenderer } from './application-page-renderer.js';
import { type OverlapForm, overlapForm } from './overlap-form.js';

/** Client secrets and API keys of an application. A new one is shown only in the response to its form. */
@PageController('portal/applications/:id')
export class CredentialsPageController {
  constructor(
    private readonly credentials: ApplicationCredentialsService,
    private readonly page: ApplicationPageRenderer,
  ) {}

  @Post('secret')
  @FormBody()
  async rotateSecret(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: overlapForm }) { overlap }: OverlapForm,
    @Res() response: Response,
  ): Promise<void> {
    const { text } = await this.credentials.rotateClientSecret(session.user.userId, id, overlap);
    this.page.sendSecrets(response, session, id, { clientSecret: text });
  }

  @Post('keys')
  @FormBody()
  async createKey(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { text } = await this.credentials.createApiKey(session.user.userId, id);
    this.page.sendSecrets(response, session, id, { apiKey: text });
  }

  @Post('keys/:keyId/rotate')
  @FormBody()
  async rotateKey(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Param('keyId') keyId: string,
    @Body({ schema: overlapForm }) { overlap }: OverlapForm,
    @Res() response: Response,
  ): Promise<void> {
    const { text } = await this.credentials.rotateApiKey(session.user.userId, id, keyId, overlap);
    this.page.sendSecrets(response, session, id, { apiKey: text });
  }

  @Post('keys/:keyId/revoke')
  @FormBody()
  async revokeKey(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Param('keyId') keyId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.credentials.revokeApiKey(session.user.userId, id, keyId);
    response.redirect(303, `/portal/applications/${id}`);
  }
}
