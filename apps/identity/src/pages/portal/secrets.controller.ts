import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { SecretFormService } from './secret-form.service.js';

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
