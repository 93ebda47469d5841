import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import { communityWriteByUser } from '../access/operation-security.js';
import {
  invitedCommunity,
  type InvitationParams,
  invitationParams,
  newInvitation,
} from './invitation.dto.js';
import { InvitationsService } from './invitations.service.js';

@Controller('communities/:communityId/invitations')
export class CommunityInvitationController {
  constructor(private readonly invitations: InvitationsService) {}

  @Post()
  @Operation({
    ...communityWriteByUser,
    summary: 'A new invitation link, which ends those before; for administrators',
    conflicts: { invitation_not_supported: 'public communities need none, and hidden ones have none' },
  })
  @Returns(newInvitation, { status: 201 })
  renewInvitation(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.invitations.renew(caller, communityId);
  }

  @Get(':code')
  @Operation({ caller: 'none', summary: 'What an invitation is for; whoever has it may look' })
  @Returns(invitedCommunity)
  getInvitation(@Param({ schema: invitationParams }) { communityId, code }: InvitationParams) {
    return this.invitations.preview(communityId, code);
  }
}
