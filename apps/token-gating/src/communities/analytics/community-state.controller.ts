import {
  type CommunityStateRequest,
  communityStateRequest,
  type CommunityStateResponse,
  communityStateResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { CommunityStateService } from './community-state.service.js';

/** What members of a community have, with which analytics compares its history. */
@InternalController('internal/community-state', 'analytics')
export class CommunityStateController {
  constructor(private readonly states: CommunityStateService) {}

  @Post()
  @Returns(communityStateResponse)
  load(
    @Body({ schema: communityStateRequest }) request: CommunityStateRequest,
  ): Promise<CommunityStateResponse> {
    return this.states.load(request);
  }
}
