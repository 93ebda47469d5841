import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { OwnApplications } from '../../client-applications/own-applications.js';
import { PageController } from '../page-controller.decorator.js';
import { type Member, SignedInVisit } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type FormFields, formFields, readApplicationForm } from './application-form.js';
import { ApplicationPage } from './application-page.js';
import { emptyForm, formAgain } from './application-view.js';

const NEW = {
  title: 'Register an application',
  section: 'applications',
} as const;

/** Client applications as their owners see and change them. */
@PageController('portal/applications')
export class ApplicationsController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly page: ApplicationPage,
    private readonly pages: PageRenderer,
  ) {}

  /** Forms are sent here, and a page that answered one may be loaded anew. */
  @Get()
  list(@Res() response: Response): void {
    response.redirect(303, '/portal');
  }

  @Get('new')
  form(@SignedInVisit() visit: Member, @Res() response: Response): void {
    this.pages.send(response, 'new-application', { form: emptyForm() }, { ...NEW, visit });
  }

  @Post()
  @FormBody()
  async register(
    @SignedInVisit() visit: Member,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const read = readApplicationForm(fields);
    if (!read.ok) {
      const form = formAgain(fields, read.problems);
      this.pages.send(response, 'new-application', { form }, { ...NEW, visit, status: 422 });
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
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.page.send(response, visit, id);
  }

  @Post(':id')
  @FormBody()
  async change(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const read = readApplicationForm(fields);
    if (!read.ok) {
      await this.page.send(response, visit, id, formAgain(fields, read.problems));
      return;
    }
    const { type: _fixed, ...change } = read.application;
    await this.applications.change(visit.user.userId, id, change);
    response.redirect(303, `/portal/applications/${id}`);
  }

  @Post(':id/delete')
  @FormBody()
  async remove(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.applications.remove(visit.user.userId, id);
    response.redirect(303, '/portal');
  }
}
