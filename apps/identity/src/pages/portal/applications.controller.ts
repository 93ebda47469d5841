import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type FormFields, formFields, parseApplicationForm } from './application-form.js';
import { ApplicationPageRenderer } from './application-page-renderer.js';
import { createEmptyForm, toResubmittedFormView } from './application-view.js';

const NEW = {
  title: 'Register an application',
  section: 'applications',
} as const;

/** Client applications as their owners see and change them. */
@PageController('portal/applications')
export class ApplicationsController {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly page: ApplicationPageRenderer,
    private readonly pages: PageRenderer,
  ) {}

  /** Forms are sent here, and a page that answered one may be loaded anew. */
  @Get()
  list(@Res() response: Response): void {
    response.redirect(303, '/portal');
  }

  @Get('new')
  form(@CurrentSignedInSession() visit: SignedInSession, @Res() response: Response): void {
    this.pages.send(response, 'new-application', { form: createEmptyForm() }, { ...NEW, session: visit });
  }

  @Post()
  @FormBody()
  async register(
    @CurrentSignedInSession() visit: SignedInSession,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const read = parseApplicationForm(fields);
    if (!read.ok) {
      const form = toResubmittedFormView(fields, read.problems);
      this.pages.send(response, 'new-application', { form }, { ...NEW, session: visit, status: 422 });
      return;
    }
    const { credentials, application } = await this.applications.register(
      visit.user.userId,
      read.application,
    );
    const { clientSecret, apiKey } = credentials;
    this.page.sendSecrets(response, visit, application.id, { clientSecret, apiKey });
  }

  @Get(':id')
  async show(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.page.send(response, visit, id);
  }

  @Post(':id')
  @FormBody()
  async change(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const read = parseApplicationForm(fields);
    if (!read.ok) {
      await this.page.send(response, visit, id, toResubmittedFormView(fields, read.problems));
      return;
    }
    const { type: _fixed, ...change } = read.application;
    await this.applications.change(visit.user.userId, id, change);
    response.redirect(303, `/portal/applications/${id}`);
  }

  @Post(':id/delete')
  @FormBody()
  async remove(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.applications.remove(visit.user.userId, id);
    response.redirect(303, '/portal');
  }
}
