import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  type NestInterceptor,
  Param,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, of } from 'rxjs';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import { ADMINISTRATOR_ERRORS, communityWriteByUser, VIEWER_ERRORS } from '../access/operation-security.js';
import { conflict } from '@app/common';
import { Database } from '@app/database';
import { z } from 'zod';
import { findCommunity, incrementInvitationRevision } from '../access/communities.queries.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityNotFound } from '../access/community.errors.js';
import { InvitationLinkService } from './invitation-link.service.js';

const invitationParams = communityParams.extend({
  code: z.string().min(1).max(128).meta({ example: 'code' }),
});
type InvitationParams = z.output<typeof invitationParams>;

const invitedCommunity = z
  .object({
    communityId: z.string(),
    name: z.string(),
    iconURL: z.string().optional(),
    memberCount: z.int().nonnegative(),
  })
  .meta({ id: 'CommunityInvitation', description: 'What an invited user sees of the community.' });
type InvitedCommunity = z.output<typeof invitedCommunity>;

const newInvitation = z.object({ inviteLink: z.string() }).meta({ id: 'NewCommunityInvitation' });
type NewInvitation = z.output<typeof newInvitation>;

/** Previews and renews invitation links. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly links: InvitationLinkService,
  ) {}

  /** @throws AppError 404 for an invalid code, as for a community that does not exist */
  async preview(communityId: string, code: string): Promise<InvitedCommunity> {
    const community = await findCommunity(this.database, communityId);
    if (!community || community.isSuspended || !this.links.isValidCode(community, code))
      throw communityNotFound();
    const { name, iconURL, memberCount } = community;
    return { communityId, name, iconURL, memberCount };
  }

  /** Revokes all earlier links. @throws AppError 409 where the visibility of the community allows no invitations */
  renew(principal: Principal, communityId: string): Promise<NewInvitation> {
    return this.database.transaction(async (manager) => {
      const community = await this.access.requireAdministrator(principal, communityId, manager);
      const invitationRevision = await incrementInvitationRevision(manager, communityId);
      const inviteLink = this.links.createLink({ ...community, invitationRevision });
      if (inviteLink === undefined) throw invitationNotSupported();
      return { inviteLink };
    });
  }
}

/** The portal's page of an invitation, at whichever host the link was opened: the page leads to its own host. */
const toPagePath = ({ communityId, code }: InvitationParams): string =>
  `/portal/invitations/${encodeURIComponent(communityId)}/${encodeURIComponent(code)}`;

/**
 * Leads browsers to the page of an invitation (docs/adr/0117-page-of-an-invitation.md). Whether the invitation is valid is said there, so that nothing is
 * read here.
 */
@Injectable()
class InvitationPageInterceptor implements NestInterceptor<InvitedCommunity, unknown> {
  intercept(context: ExecutionContext, next: CallHandler<InvitedCommunity>): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    // The link is a secret of those who have it.
    response.set(LINK_HEADERS).vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') return next.handle();
    // The pipe, which refuses such parameters, has not run yet.
    const { data: params } = invitationParams.safeParse(request.params);
    if (!params) throw communityNotFound();
    response.status(303).location(toPagePath(params)).type('html');
    return of('');
  }
}

const LINK_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

const invitationNotSupported = () =>
  conflict('invitation_not_supported', 'Only communities with the visibility "members" have invitations.');

@Controller('communities/:communityId/invitations')
export class CommunityInvitationController {
  constructor(private readonly invitations: InvitationsService) {}

  @Post()
  @Operation({
    ...communityWriteByUser,
    summary: 'Create an invitation link and revoke all earlier ones, for administrators',
    description:
      'Answers with a link that lets whoever has it join a community with the visibility `members`. Links that were given out ' +
      'before lead nowhere from now on. Administrators may.',
    conflicts: {
      invitation_not_supported: 'only communities with the visibility `members` have invitations',
    },
    errors: ADMINISTRATOR_ERRORS,
    example: { status: 409, reason: 'the demo community is public' },
  })
  @Returns(newInvitation, { status: 201 })
  renewInvitation(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.invitations.renew(principal, communityId);
  }

  @Get(':code')
  @UseInterceptors(InvitationPageInterceptor)
  @Operation({
    caller: 'none',
    summary: 'Preview the community of an invitation; needs only the code',
    description:
      'Shows name, picture and number of members of a community to whoever has an invitation, before they sign in and join. A ' +
      'code that was revoked is 404. With `Accept: text/html` the response is 303 to the page on which people join.',
    errors: VIEWER_ERRORS,
    example: { status: 404, reason: 'the demo community is public, so it has no invitations' },
  })
  @Returns(invitedCommunity)
  getInvitation(@Param({ schema: invitationParams }) { communityId, code }: InvitationParams) {
    return this.invitations.preview(communityId, code);
  }
}
