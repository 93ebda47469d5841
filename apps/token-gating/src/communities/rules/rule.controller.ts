import { Caller, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { RawRequest } from '../../async-checks/raw-request.decorator.js';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import { read, write } from '../shared/operations.js';
import {
  type CommunityRules,
  communityRules,
  type WrittenCommunityRules,
  writtenCommunityRules,
} from './community-rules.dto.js';
import { RulesService } from './rules.service.js';

@Controller('communities/:communityId/rules')
export class CommunityRuleController {
  constructor(private readonly rules: RulesService) {}

  @Get()
  @Operation({
    ...read,
    summary: 'The rules that grant the roles; for members and those who run the community',
  })
  @Returns(writtenCommunityRules)
  async getRules(
    @Caller() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<WrittenCommunityRules> {
    return { rules: await this.rules.get(caller, communityId) };
  }

  @Put()
  @Operation({
    ...write,
    summary: 'Replace the rules, all of them; for administrators',
    description:
      'They are checked like those of check-roles, and may read as much as fits a user with 25 wallets. The roles of ' +
      'all members are looked at again soon.',
  })
  @Returns(writtenCommunityRules)
  async replaceRules(
    @Caller() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: communityRules }) { rules }: CommunityRules,
    @RawRequest() raw: WrittenCommunityRules,
  ): Promise<WrittenCommunityRules> {
    return { rules: await this.rules.replace(caller, communityId, rules, raw.rules) };
  }
}
