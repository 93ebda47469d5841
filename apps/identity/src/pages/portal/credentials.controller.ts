import { FormBody } from '@app/service';
import { Body, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { OwnCredentials } from '../../client-applications/own-credentials.js';
import { PageController } from '../page-controller.decorator.js';
import { type Member, SignedInVisit } from '../session/visit.decorator.js';
import { ApplicationPage } from './application-page.js';
import { type OverlapForm, overlapForm } from './overlap.js';

/** The secrets and keys of an application. Each is shown in the answer to the form that made it. */
@PageController('portal/applications/:id')
export class CredentialsPageController {
  constructor(
    private readonly credentials: OwnCredentials,
    private readonly page: ApplicationPage,
  ) {}

  @Post('secret')
  @FormBody()
  async rotateSecret(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Body({ schema: overlapForm }) { overlap }: OverlapForm,
    @Res() response: Response,
  ): Promise<void> {
    const { text } = await this.credentials.rotateSecret(visit.user.userId, id, overlap);
    this.page.sendSecrets(response, visit, id, { clientSecret: text });
  }

  @Post('keys')
  @FormBody()
  async createKey(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { text } = await this.credentials.createKey(visit.user.userId, id);
    this.page.sendSecrets(response, visit, id, { apiKey: text });
  }

  @Post('keys/:keyId/rotate')
  @FormBody()
  async rotateKey(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Param('keyId') keyId: string,
    @Body({ schema: overlapForm }) { overlap }: OverlapForm,
    @Res() response: Response,
  ): Promise<void> {
    const { text } = await this.credentials.rotateKey(visit.user.userId, id, keyId, overlap);
    this.page.sendSecrets(response, visit, id, { apiKey: text });
  }

  @Post('keys/:keyId/revoke')
  @FormBody()
  async revokeKey(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Param('keyId') keyId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.credentials.revokeKey(visit.user.userId, id, keyId);
    response.redirect(303, `/portal/applications/${id}`);
  }
}
