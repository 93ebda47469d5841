import { Database } from '@app/database';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { findShownApplications } from '../../applications/entities/client-applications.queries.js';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { PageController } from '../page-controller.decorator.js';
import {
  type SignedInSession,
  CurrentSignedInSession,
  CurrentWalletSession,
} from '../sessions/page-session.decorator.js';
import { formatDay, formatMinute } from '../views/format-values.js';
import {
  type AttachedClientParams,
  attachedClientParams,
  type AttachmentForm,
  attachmentForm,
  type CommunityParams,
  communityParams,
} from './communities.dto.js';
import { type AttachedClient, CommunityApi } from './community-api.js';
import { CommunityPageRenderer } from './community-page-renderer.js';
import { toCommunityPath, toCommunityTabs } from './community-tabs.js';
import { REFUSED_FORM_STATUS, toFormProblems } from './form-problems.js';
import { endOnce } from './repeatable.js';

/** What somebody attaches, as it was submitted. */
interface Attachment {
  readonly clientId: string;
  readonly callbackUrl: string;
  /** Validation errors by field. */
  readonly problems: Record<string, string>;
}

/** The client applications that are attached to a community, for those who run it. */
@PageController('portal/communities/:communityId/applications')
export class CommunityApplicationsController {
  constructor(
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly own: ClientApplicationsService,
    private readonly database: Database,
    private readonly page: CommunityPageRenderer,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(response, session, communityId, { clientId: '', callbackUrl: '', problems: {} });
  }

  /** Idempotent. */
  @Post()
  @FormBody()
  async attach(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: attachmentForm }) { clientId, callbackUrl }: AttachmentForm,
    @Res() response: Response,
  ): Promise<void> {
    const url = callbackUrl === '' ? undefined : callbackUrl;
    try {
      await this.api.attachClient(session.user, { communityId, clientId }, url);
      response.redirect(303, toApplicationsPath(communityId));
    } catch (error) {
      const problems = toFormProblems(error, 'clientId', ['clientId', 'callbackUrl']);
      await this.send(response, session, communityId, { clientId, callbackUrl, problems });
    }
  }

  @Post(':clientId/detach')
  @FormBody()
  async detach(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: attachedClientParams }) params: AttachedClientParams,
    @Res() response: Response,
  ): Promise<void> {
    await endOnce(this.api.detachClient(session.user, params), 'client_not_found');
    response.redirect(303, toApplicationsPath(params.communityId));
  }

  /** The form is posted to this path, so that reloading a response may request it with GET. */
  @Get(':clientId/detach')
  showAttached(
    @Param({ schema: attachedClientParams }) { communityId }: AttachedClientParams,
    @Res() response: Response,
  ): void {
    response.redirect(303, toApplicationsPath(communityId));
  }

  private async send(
    response: Response,
    session: SignedInSession,
    communityId: string,
    form: Attachment,
  ): Promise<void> {
    const community = await this.page.load(session, communityId);
    const { userId } = session.user;
    const [clients, own, callbacks] = await Promise.all([
      this.api.listAttachedClients(session.user, communityId),
      this.own.list(userId),
      this.client.loadCallbackStates({ userId, communityId }),
    ]);
    const states = new Map(callbacks.applications.map((state) => [state.clientId, state]));
    const clientIds = clients.map(({ clientId }) => clientId);
    const shown = await findShownApplications(this.database, clientIds);
    const ownNames = new Map(own.map(({ id, name }) => [id, name]));
    const applications = clients.map((client) => ({
      name: ownNames.get(client.clientId) ?? shown.get(client.clientId)?.name ?? client.clientId,
      clientId: client.clientId,
      isReviewed: Boolean(shown.get(client.clientId)),
      since: formatDay(new Date(client.createdTime)),
      ...describeCallback(client, states.get(client.clientId)),
      detachPath: `${toApplicationsPath(communityId)}/${encodeURIComponent(client.clientId)}/detach`,
    }));
    const choices = own.map(({ id, name }) => ({ id, name }));
    const view = { tabs: toCommunityTabs(community, 'applications'), applications, choices, form };
    const status = Object.keys(form.problems).length > 0 ? REFUSED_FORM_STATUS : 200;
    const page = { title: 'Applications', status };
    this.page.send(response, session, community.name, 'community-applications', view, page);
  }
}

const toApplicationsPath = (communityId: string): string => `${toCommunityPath(communityId)}/applications`;

type CallbackState = Awaited<
  ReturnType<PortalCommunitiesClient['loadCallbackStates']>
>['applications'][number];

/** Whether an application is told about roles, and how the last times went. */
function describeCallback(
  { callbackUrl, callbackUrlVerified }: AttachedClient,
  state: CallbackState | undefined,
): { callback: string; isHealthy: boolean } {
  if (callbackUrl === undefined)
    return {
      callback: 'It is not told about changes of roles: it has no address for them.',
      isHealthy: true,
    };
  const { host } = new URL(callbackUrl);
  if (callbackUrlVerified !== true)
    return {
      callback: `It is not told about changes of roles: ${host} has not confirmed that it wants them. Attach it again to ask once more.`,
      isHealthy: false,
    };
  const told = `It is told about changes of roles at ${host}.`;
  if (!state) return { callback: told, isHealthy: true };
  const { pending, last, failure } = state;
  const time = formatMinute(new Date(last.time));
  const waiting =
    pending === 0 ? '' : ` ${pending} ${pending === 1 ? 'change waits' : 'changes wait'} to be told.`;
  if (last.state === 'failed')
    return {
      callback: `${host} did not take the last change of roles, ${time}${failure ? `: ${failure.reason}` : ''}.${waiting}`,
      isHealthy: false,
    };
  const lastText = last.state === 'delivered' ? ` The last time was ${time}.` : '';
  return { callback: `${told}${lastText}${waiting}`, isHealthy: true };
}
