import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { ApplicationCredentialsService } from '../../applications/credentials/application-credentials.service.js';
import type { SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { SecretsView } from '../views/page-views.js';
import { type ApplicationFormView, toFormView, toKeyView, toListedApplication } from './application-view.js';
import { OVERLAP_OPTIONS } from './overlap-form.js';

/** The page of one application, and the one that shows its secrets. */
@Injectable()
export class ApplicationPageRenderer {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly credentials: ApplicationCredentialsService,
    private readonly pages: PageRenderer,
  ) {}

  /** @param again the form as it was filled in, when something is wrong with it */
  async send(
    response: Response,
    visit: SignedInSession,
    id: string,
    again?: ApplicationFormView,
  ): Promise<void> {
    const { userId } = visit.user;
    const application = await this.applications.get(userId, id);
    const keys = await this.credentials.listApiKeys(userId, id);
    const view = {
      application: toListedApplication(application),
      reason: application.rejectionReason,
      hasSecret: application.type === 'confidential',
      form: again ?? toFormView(application),
      keys: keys.map(toKeyView),
      overlaps: OVERLAP_OPTIONS,
    };
    const status = again ? 422 : 200;
    this.pages.send(response, 'application', view, {
      title: application.name,
      session: visit,
      status,
      section: 'applications',
    });
  }

  /** The answer to what made them: nobody can look at them again. */
  sendSecrets(
    response: Response,
    visit: SignedInSession,
    clientId: string,
    secrets: Omit<SecretsView, 'clientId'>,
  ): void {
    this.pages.send(
      response,
      'secrets',
      { clientId, ...secrets },
      { title: 'Keep these now', session: visit, script: 'secrets', section: 'applications' },
    );
  }
}
