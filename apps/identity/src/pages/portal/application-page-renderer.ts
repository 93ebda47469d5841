import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { isReviewed, toWanted } from '../../applications/reviewed-values.js';
import { PublishableIdsService } from '../../applications/publishable-ids/publishable-ids.service.js';
import { ApplicationCredentialsService } from '../../applications/credentials/application-credentials.service.js';
import type { SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { ApplicationFormView, KeyFormView, MessageFormView } from '../views/application-views.js';
import { toFormView, toKeyView, toListedApplication } from './application-view.js';
import { toApprovalView } from './approval-view.js';
import { toKeyFormView } from './key-form.js';
import { OVERLAP_OPTIONS } from './application-form.js';
import {
  EMPTY_PUBLISHABLE_ID_FORM,
  type PublishableIdFormView,
  toPublishableIdView,
} from './publishable-id-form.js';

/** Renders the page of an application. */
@Injectable()
export class ApplicationPageRenderer {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly credentials: ApplicationCredentialsService,
    private readonly publishableIds: PublishableIdsService,
    private readonly pages: PageRenderer,
  ) {}

  /** @param resubmitted a form with validation errors to show again: the application's, or that of a new key, a publishable id or a message */
  async send(
    response: Response,
    session: SignedInSession,
    id: string,
    resubmitted: {
      readonly form?: ApplicationFormView;
      readonly keyForm?: KeyFormView;
      readonly publishableIdForm?: PublishableIdFormView;
      readonly messageForm?: MessageFormView;
    } = {},
  ): Promise<void> {
    const { userId } = session.user;
    const stored = await this.applications.get(userId, id);
    const application = toWanted(stored);
    const keys = await this.credentials.listApiKeys(userId, id);
    const publishableIds = await this.publishableIds.list(userId, id);
    const view = {
      application: toListedApplication(application),
      reason: application.rejectionReason,
      approval: toApprovalView(stored, resubmitted.messageForm),
      ...(isReviewed(stored) && { approvedName: stored.name }),
      hasWaitingValues: stored.waitingValues !== null,
      hasSecret: application.type === 'confidential',
      form: resubmitted.form ?? toFormView(application),
      keys: keys.map(toKeyView),
      keyForm: resubmitted.keyForm ?? toKeyFormView(application.requestedScopes),
      publishableIds: publishableIds.map(toPublishableIdView),
      publishableIdForm: resubmitted.publishableIdForm ?? EMPTY_PUBLISHABLE_ID_FORM,
      overlaps: OVERLAP_OPTIONS,
    };
    const status = Object.keys(resubmitted).length > 0 ? 422 : 200;
    this.pages.send(response, 'application', view, {
      title: application.name,
      session,
      status,
      script: 'copy-buttons',
      section: 'applications',
    });
  }
}
