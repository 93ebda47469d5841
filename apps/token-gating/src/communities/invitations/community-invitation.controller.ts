import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import { ADMINISTRATOR_ERRORS, communityWriteByUser, VIEWER_ERRORS } from '../access/operation-security.js';
import {
  type InvitationParams,
  invitationParams,
  InvitationsService,
  invitedCommunity,
  newInvitation,
} from './invitations.service.js';

@Controller('communities/:communityId/invitations')
export class CommunityInvitationController {
  constructor(private readonly invitations: InvitationsService) {}

  @Post()
  @Operation({
    ...communityWriteByUser,
    summary: 'Create an invitation link and revoke all earlier ones, for administrators',
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
  @Operation({
    caller: 'none',
    summary: 'Preview the community of an invitation; needs only the code',
    errors: VIEWER_ERRORS,
    example: { status: 404, reason: 'the demo community is public, so it has no invitations' },
  })
  @Returns(invitedCommunity)
  getInvitation(@Param({ schema: invitationParams }) { communityId, code }: InvitationParams) {
    return this.invitations.preview(communityId, code);
  }
}
