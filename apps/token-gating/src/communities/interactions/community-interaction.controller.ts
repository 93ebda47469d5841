import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import { communityWriteByClient, CHANGE_ERRORS } from '../access/operation-security.js';
import {
  INTERACTION_LIMIT_CONFLICT,
  type InteractionReport,
  interactionReport,
  type InteractionResults,
  interactionResults,
} from './interaction.dto.js';
import { InteractionsService } from './interactions.service.js';

@Controller('communities/:communityId/interactions')
export class CommunityInteractionController {
  constructor(private readonly interactions: InteractionsService) {}

  @Put()
  @Operation({
    ...communityWriteByClient,
    summary: 'Report what members did, for analytics',
    description:
      'For attached client applications that act for themselves, without a user. Idempotent by the id of each interaction for 8 days.',
    conflicts: INTERACTION_LIMIT_CONFLICT,
    errors: [...CHANGE_ERRORS, '403 attached_client_required'],
  })
  @Returns(interactionResults)
  reportInteractions(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: interactionReport }) { interactions }: InteractionReport,
  ): Promise<InteractionResults> {
    return this.interactions.report(principal, communityId, interactions);
  }
}
