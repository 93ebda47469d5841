import { type SupervisedCommunity, suspensionReason } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Actor } from '../../applications/audit/audit-action.js';
import { CommunitySuspensionsService } from '../../operators/community-suspensions.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { SuspensionFormView, SuspensionView } from '../views/operator-views.js';
import { OperatorSessionService } from './operator-session.service.js';

const PATH = 'portal/suspensions';
const PAGE = { section: 'suspensions' } as const;

const communitySearch = z.object({ id: z.string().trim().min(1).max(128).optional().catch(undefined) });
type CommunitySearch = z.output<typeof communitySearch>;

const EMPTY_FORM: SuspensionFormView = { reason: '', problems: {} };

/** Communities that operators suspend. */
@PageController(PATH)
export class SuspensionsController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly suspensions: CommunitySuspensionsService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Query({ schema: communitySearch }) { id }: CommunitySearch,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.getActor(session, request);
    if (id !== undefined) {
      response.redirect(303, toPath(id));
      return;
    }
    const communities = (await this.suspensions.list(actor)).map(toView);
    this.pages.send(response, 'suspensions', { communities }, { ...PAGE, title: 'Suspensions', session });
  }

  @Get(':id')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const community = await this.suspensions.view(this.getActor(session, request), id);
    this.send(session, response, community, EMPTY_FORM);
  }

  @Post(':id')
  @FormBody()
  async suspend(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: formFields }) fields: FormFields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.getActor(session, request);
    const reason = suspensionReason.safeParse(fields['reason']);
    if (reason.success) {
      await this.suspensions.suspend(actor, id, reason.data);
      response.redirect(303, toPath(id));
      return;
    }
    const problems = { reason: 'This must have 1 to 500 characters, on one line.' };
    const form = { reason: fields['reason'] ?? '', problems };
    this.send(session, response, await this.suspensions.view(actor, id), form);
  }

  @Post(':id/resume')
  @FormBody()
  async resume(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.suspensions.resume(this.getActor(session, request), id);
    response.redirect(303, toPath(id));
  }

  private send(
    session: SignedInSession,
    response: Response,
    community: SupervisedCommunity,
    form: SuspensionFormView,
  ): void {
    const status = Object.keys(form.problems).length > 0 ? 422 : 200;
    const view = { community: toView(community), form };
    this.pages.send(response, 'suspension', view, { ...PAGE, title: community.name, session, status });
  }

  private getActor({ user }: SignedInSession, { path }: Request): Actor {
    return this.operators.getActor(user, path);
  }
}

const toPath = (id: string): string => `/${PATH}/${encodeURIComponent(id)}`;

const toView = ({
  communityId,
  suspension,
  memberCount,
  ...community
}: SupervisedCommunity): SuspensionView => ({
  ...community,
  id: communityId,
  members: `${memberCount.toLocaleString('en-GB')} ${memberCount === 1 ? 'member' : 'members'}`,
  ...(suspension && {
    suspension: {
      reason: suspension.reason,
      since: `${formatDay(new Date(suspension.since))}, ${suspension.since.slice(11, 16)} UTC`,
    },
  }),
});
