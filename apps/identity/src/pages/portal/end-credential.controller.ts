import { AppError } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UserCredentialService } from '../../ethereum-login/credentials/user-credential.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { EndCredentialView } from '../views/page-views.js';
import { type CredentialForm, credentialForm } from './credential-form.js';

/** Where a user ends a credential that they have the text of. */
@PageController('portal/credentials')
export class EndCredentialController {
  constructor(
    private readonly credentials: UserCredentialService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  show(@CurrentSignedInSession() visit: SignedInSession, @Res() response: Response): void {
    this.send(response, visit, {});
  }

  @Post()
  @FormBody()
  async end(
    @CurrentSignedInSession() visit: SignedInSession,
    @Body({ schema: credentialForm }) { credential }: CredentialForm,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.credentials.revoke(visit.user.userId, credential);
      this.send(response, visit, { hasEnded: true });
    } catch (error) {
      if (!(error instanceof AppError) || error.statusCode !== 404) throw error;
      this.send(response, visit, { problem: error.message }, 422);
    }
  }

  private send(response: Response, visit: SignedInSession, view: EndCredentialView, status = 200): void {
    const title = 'End a credential';
    this.pages.send(response, 'end-credential', view, {
      title,
      session: visit,
      status,
      section: 'connections',
    });
  }
}
