import { DAY_MS } from '@app/common';
import { ENDPOINT_DELIVERY_DAYS } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { REFUSED_FORM_STATUS, toFormProblems } from '../communities/form-problems.js';
import { OnceFormService } from '../communities/once-form.service.js';
import { endOnce } from '../communities/repeatable.js';
import { PageController } from '../page-controller.decorator.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import {
  type SignedInSession,
  CurrentSignedInSession,
  CurrentWalletSession,
} from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type OneTimeForm, oneTimeForm } from './application-form.js';
import { EndpointApi, type EndpointFields, type EndpointKey } from './endpoint-api.js';
import {
  EMPTY_ENDPOINT,
  type EndpointForm,
  endpointForm,
  parseEndpointForm,
  toDeliveryView,
  toEndpointFormView,
  toEndpointView,
} from './endpoint-view.js';
import { SecretFormService } from './secret-form.service.js';

const FIELDS = ['url', 'events', 'description'];

const toEndpointsPath = (clientId: string): string =>
  `/portal/applications/${encodeURIComponent(clientId)}/endpoints`;
const toEndpointPath = (clientId: string, endpointId: string): string =>
  `${toEndpointsPath(clientId)}/${encodeURIComponent(endpointId)}`;

/** The addresses to which an application has events sent, for its owner: what token-gating decides for every client (docs/adr/0125). */
@PageController('portal/applications/:id/endpoints')
export class EndpointsController {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly api: EndpointApi,
    private readonly once: OnceFormService,
    private readonly secrets: SecretFormService,
    private readonly notices: PageNoticesService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendList(response, session, clientId, EMPTY_ENDPOINT);
  }

  @Post()
  @FormBody()
  async create(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Body({ schema: endpointForm }) { form, ...submitted }: EndpointForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.applications.get(session.user.userId, clientId);
    const fields = parseEndpointForm(submitted);
    try {
      const path = await this.once.submit(session, { path: request.path, token: form, fields }, async () => {
        const { id, secret } = await this.api.create(session.user, clientId, fields);
        return this.secrets.keep(session, { clientId, endpoint: { id, secret } });
      });
      response.redirect(303, path);
    } catch (error) {
      await this.sendList(response, session, clientId, fields, toFormProblems(error, 'url', FIELDS));
    }
  }

  @Get(':endpointId')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendEndpoint(response, session, clientId, endpointId);
  }

  /** Idempotent. An address that was not changed is not sent, so that a page that was opened before does not bring an old one back. */
  @Post(':endpointId')
  @FormBody()
  async change(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Body({ schema: endpointForm }) { form: _form, shownUrl, ...submitted }: EndpointForm,
    @Res() response: Response,
  ): Promise<void> {
    const fields = parseEndpointForm(submitted);
    try {
      const { url, ...others } = fields;
      await this.api.change(session.user, { clientId, endpointId }, url === shownUrl ? others : fields);
    } catch (error) {
      const problems = toFormProblems(error, 'url', FIELDS);
      return this.sendEndpoint(response, session, clientId, endpointId, { fields, problems });
    }
    await this.notices.lead(response, session, toEndpointPath(clientId, endpointId), {
      text: 'The changes are saved. A new address is asked first whether it wants what it is sent.',
    });
  }

  @Post(':endpointId/challenge')
  @FormBody()
  async challenge(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Body({ schema: oneTimeForm }) { form }: OneTimeForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const key = { clientId, endpointId };
    const path = await this.sendOnce(session, { path: request.path, form, key }, async () => {
      const { url } = await this.api.get(session.user, key);
      await this.api.change(session.user, key, { url });
      return 'It was asked again whether it wants what it is sent.';
    });
    response.redirect(303, path);
  }

  @Post(':endpointId/test')
  @FormBody()
  async test(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Body({ schema: oneTimeForm }) { form }: OneTimeForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const key = { clientId, endpointId };
    const path = await this.sendOnce(session, { path: request.path, form, key }, async () => {
      await this.api.test(session.user, key);
      return 'A test event is on its way.';
    });
    response.redirect(303, path);
  }

  @Post(':endpointId/recover')
  @FormBody()
  async recover(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Body({ schema: oneTimeForm }) { form }: OneTimeForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const key = { clientId, endpointId };
    const path = await this.sendOnce(session, { path: request.path, form, key }, async () => {
      const since = new Date(Date.now() - ENDPOINT_DELIVERY_DAYS * DAY_MS);
      const count = await this.api.recover(session.user, key, since);
      if (count === 0) return `Nothing failed in the last ${ENDPOINT_DELIVERY_DAYS} days.`;
      return `${count} failed ${count === 1 ? 'delivery is' : 'deliveries are'} sent again.`;
    });
    response.redirect(303, path);
  }

  @Post(':endpointId/deliveries/:deliveryId/again')
  @FormBody()
  async redeliver(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Param('deliveryId') deliveryId: string,
    @Body({ schema: oneTimeForm }) { form }: OneTimeForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const key = { clientId, endpointId };
    const path = await this.sendOnce(session, { path: request.path, form, key }, async () => {
      await this.api.redeliver(session.user, key, deliveryId);
      return 'It is sent again, with the webhook-id that it had: a receiver that has it already can tell.';
    });
    response.redirect(303, path);
  }

  @Post(':endpointId/secret')
  @FormBody()
  async rotateSecret(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Body({ schema: oneTimeForm }) { form }: OneTimeForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const path = await this.once.submit(
      session,
      { path: request.path, token: form, fields: {} },
      async () => {
        const secret = await this.api.rotateSecret(session.user, { clientId, endpointId });
        return this.secrets.keep(session, {
          clientId,
          endpoint: { id: endpointId, secret },
        });
      },
    );
    response.redirect(303, path);
  }

  @Post(':endpointId/delete')
  @FormBody()
  async remove(
    @CurrentWalletSession() session: SignedInSession,
    @Param('id') clientId: string,
    @Param('endpointId') endpointId: string,
    @Res() response: Response,
  ): Promise<void> {
    await endOnce(this.api.remove(session.user, { clientId, endpointId }), 'callback_endpoint_not_found');
    await this.notices.lead(response, session, toEndpointsPath(clientId), {
      text: 'The endpoint is deleted, and gets nothing more.',
    });
  }

  /**
   * Has something sent to an endpoint once, however often the form is sent.
   * @param send returns what is done, in a sentence
   * @returns the path of the endpoint's page, which shows that sentence
   */
  private sendOnce(
    session: SignedInSession,
    { path, form, key }: { path: string; form: string; key: EndpointKey },
    send: () => Promise<string>,
  ): Promise<string> {
    return this.once.submit(session, { path, token: form, fields: {} }, async () => {
      const text = `${await send()} Load this page again in some seconds to see how it went.`;
      const page = toEndpointPath(key.clientId, key.endpointId);
      await this.notices.keep(session, page, { text });
      return page;
    });
  }

  private async sendList(
    response: Response,
    session: SignedInSession,
    clientId: string,
    fields: EndpointFields,
    problems: Record<string, string> = {},
  ): Promise<void> {
    const { name, approvedScopes } = await this.applications.get(session.user.userId, clientId);
    const endpoints = await this.api.list(session.user, clientId);
    const view = {
      application: { id: clientId, name },
      endpoints: endpoints.map((one) => ({ ...toEndpointView(one), href: toEndpointPath(clientId, one.id) })),
      form: toEndpointFormView(fields, approvedScopes, problems),
    };
    const hasProblems = Object.keys(problems).length > 0;
    this.pages.send(response, 'endpoints', view, {
      title: `Callback endpoints · ${name}`,
      heading: 'Callback endpoints',
      session,
      status: hasProblems ? REFUSED_FORM_STATUS : 200,
      section: 'applications',
    });
  }

  private async sendEndpoint(
    response: Response,
    session: SignedInSession,
    clientId: string,
    endpointId: string,
    refused?: { readonly fields: EndpointFields; readonly problems: Record<string, string> },
  ): Promise<void> {
    const { name, approvedScopes } = await this.applications.get(session.user.userId, clientId);
    const key = { clientId, endpointId };
    const [endpoint, deliveries] = await Promise.all([
      this.api.get(session.user, key),
      this.api.listDeliveries(session.user, key),
    ]);
    const view = {
      application: { id: clientId, name },
      endpoint: toEndpointView(endpoint),
      listedDays: ENDPOINT_DELIVERY_DAYS,
      base: toEndpointPath(clientId, endpointId),
      deliveries: deliveries.map(toDeliveryView),
      form: toEndpointFormView(refused?.fields ?? endpoint, approvedScopes, refused?.problems),
    };
    this.pages.send(response, 'endpoint', view, {
      title: `${view.endpoint.title} · ${name}`,
      heading: view.endpoint.title,
      session,
      status: refused ? REFUSED_FORM_STATUS : 200,
      section: 'applications',
    });
  }
}
