import {
  type PlatformMemberRequest,
  platformMemberRequest,
  type PlatformMemberResponse,
  platformMemberResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { PlatformMemberService } from './platform-member.service.js';

/** The communities of platform users, for identity, which links their wallets. */
@InternalController('internal/platform-users', 'identity')
export class PlatformMemberController {
  constructor(private readonly members: PlatformMemberService) {}

  @Post('lookup')
  @Returns(platformMemberResponse)
  find(
    @Body({ schema: platformMemberRequest }) request: PlatformMemberRequest,
  ): Promise<PlatformMemberResponse> {
    return this.members.find(request);
  }
}
