import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { approvalMessage } from '../../applications/approval-message.js';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { PageController } from '../page-controller.decorator.js';
import {
  type SignedInSession,
  CurrentSignedInSession,
  CurrentWalletSession,
} from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type FormFields, formFields, parseApplicationForm, oneTimeForm } from './application-form.js';
import { ApplicationPageRenderer } from './application-page-renderer.js';
import { SecretFormService } from './secret-form.service.js';
import { createEmptyForm, toResubmittedFormView } from './application-view.js';

const NEW_PAGE = {
  title: 'Register application',
  section: 'applications',
} as const;

const registrationForm = oneTimeForm.catchall(z.string());
type RegistrationForm = z.output<typeof registrationForm>;

/** Management of client applications by their owners. */
@PageController('portal/applications')
export class ApplicationsController {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly forms: SecretFormService,
    private readonly page: ApplicationPageRenderer,
    private readonly pages: PageRenderer,
  ) {}

  /** Forms are posted to this path, so reloading a response may request it with GET. */
  @Get()
  list(@Res() response: Response): void {
    response.redirect(303, '/portal');
  }

  @Get('new')
  form(@CurrentWalletSession() session: SignedInSession, @Res() response: Response): void {
    this.pages.send(response, 'new-application', { form: createEmptyForm() }, { ...NEW_PAGE, session });
  }

  @Post()
  @FormBody()
  async register(
    @CurrentWalletSession() session: SignedInSession,
    @Body({ schema: registrationForm }) { form: token, ...fields }: RegistrationForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const parsed = parseApplicationForm(fields);
    if (!parsed.ok) {
      const form = toResubmittedFormView(fields, parsed.problems);
      this.pages.send(response, 'new-application', { form }, { ...NEW_PAGE, session, status: 422 });
      return;
    }
    const { userId } = session.user;
    const path = await this.forms.submit(session, request.path, token, (submission) =>
      this.applications.register(userId, parsed.application, submission),
    );
    response.redirect(303, path);
  }

  @Get(':id')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.page.send(response, session, id);
  }

  @Post(':id')
  @FormBody()
  async change(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const { type } = await this.applications.get(session.user.userId, id);
    const parsed = parseApplicationForm({ ...fields, type });
    if (!parsed.ok) {
      await this.page.send(response, session, id, { form: toResubmittedFormView(fields, parsed.problems) });
      return;
    }
    const { type: _immutable, message: _unused, ...change } = parsed.application;
    await this.applications.change(session.user.userId, id, change);
    response.redirect(303, `/portal/applications/${id}`);
  }

  @Post(':id/message')
  @FormBody()
  async sendMessage(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: formFields }) { message = '' }: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const parsed = approvalMessage.safeParse(message);
    if (!parsed.success) {
      const problem = `This ${parsed.error.issues[0]?.message ?? 'is invalid'}.`;
      await this.page.send(response, session, id, {
        messageForm: { message, problems: { message: problem } },
      });
      return;
    }
    await this.applications.sendMessage(session.user.userId, id, parsed.data);
    response.redirect(303, `/portal/applications/${id}`);
  }

  @Post(':id/dismiss-decision')
  @FormBody()
  async dismissDecision(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.applications.dismissDecision(session.user.userId, id);
    response.redirect(303, '/portal');
  }

  @Post(':id/delete')
  @FormBody()
  async remove(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    // A second click finds it removed.
    await this.applications.remove(userId, id).catch(async (error: unknown) => {
      if (!(await this.applications.wasRemoved(userId, id))) throw error;
    });
    response.redirect(303, '/portal');
  }
}
