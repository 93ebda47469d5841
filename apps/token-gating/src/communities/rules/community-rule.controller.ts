import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import { communityRead, communityWriteByUser } from '../access/operation-security.js';
import {
  type CommunityRulesBody,
  communityRulesBody,
  type WrittenCommunityRules,
  writtenCommunityRules,
} from './community-rules.dto.js';
import { CommunityRulesService } from './community-rules.service.js';

@Controller('communities/:communityId/rules')
export class CommunityRuleController {
  constructor(private readonly rules: CommunityRulesService) {}

  @Get()
  @Operation({
    ...communityRead,
    summary: 'The rules that grant the roles; for members and those who run the community',
  })
  @Returns(writtenCommunityRules)
  async getRules(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<WrittenCommunityRules> {
    return { rules: await this.rules.get(caller, communityId) };
  }

  @Put()
  @Operation({
    ...communityWriteByUser,
    summary: 'Replace the rules, all of them; for administrators',
    description:
      'They are checked like those of check-roles, and may read as much as fits a user with 25 wallets. The roles of ' +
      'all members are looked at again soon.',
  })
  @Returns(writtenCommunityRules)
  async replaceRules(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: communityRulesBody }) { value, original }: CommunityRulesBody,
  ): Promise<WrittenCommunityRules> {
    return { rules: await this.rules.replace(caller, communityId, value.rules, original.rules) };
  }
}
