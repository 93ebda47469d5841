import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { OwnApplications } from '../../client-applications/own-applications.js';
import { OwnCredentials } from '../../client-applications/own-credentials.js';
import type { Member } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { SecretsView } from '../views/page-views.js';
import { type ApplicationFormView, formOf, keyView, listed } from './application-view.js';
import { OVERLAPS } from './overlap.js';

/** The page of one application, and the one that shows its secrets. */
@Injectable()
export class ApplicationPage {
  constructor(
    private readonly applications: OwnApplications,
    private readonly credentials: OwnCredentials,
    private readonly pages: PageRenderer,
  ) {}

  /** @param again the form as it was filled in, when something is wrong with it */
  async send(response: Response, visit: Member, id: string, again?: ApplicationFormView): Promise<void> {
    const { userId } = visit.user;
    const application = await this.applications.get(userId, id);
    const keys = await this.credentials.listKeys(userId, id);
    const view = {
      application: listed(application),
      reason: application.rejectionReason,
      hasSecret: application.type === 'confidential',
      form: again ?? formOf(application),
      keys: keys.map(keyView),
      overlaps: OVERLAPS,
    };
    const status = again ? 422 : 200;
    this.pages.send(response, 'application', view, {
      title: application.name,
      visit,
      status,
      section: 'applications',
    });
  }

  /** The answer to what made them: nobody can look at them again. */
  sendSecrets(
    response: Response,
    visit: Member,
    clientId: string,
    secrets: Omit<SecretsView, 'clientId'>,
  ): void {
    this.pages.send(
      response,
      'secrets',
      { clientId, ...secrets },
      { title: 'Keep these now', visit, script: 'secrets', section: 'applications' },
    );
  }
}
