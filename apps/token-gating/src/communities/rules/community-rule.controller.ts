import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import {
  ADMINISTRATOR_ERRORS,
  communityRead,
  communityWriteByUser,
  VIEWER_ERRORS,
} from '../access/operation-security.js';
import { RULES_CONFLICT } from '../access/community.errors.js';
import { CommunityRulesService } from './community-rules.service.js';
import { EXAMPLES, MAX_RULES, roleRules, rawRoleRule } from '@app/dto';
import { z } from 'zod';
import {
  MAX_MEMBERS_WITHOUT_APPLICATION,
  MAX_OWNED_WITHOUT_APPLICATION,
  MAX_RULES_WITHOUT_APPLICATION,
  TYPES_WITHOUT_APPLICATION,
} from '../without-application/rule-limits.js';
import { keepOriginal } from '../../checks/keep-original.js';

const communityRules = z
  .strictObject({
    rules: roleRules,
    replaces: z
      .array(rawRoleRule)
      .max(MAX_RULES)
      .optional()
      .describe(
        'The rules as they were read before they were changed. The call replaces no others: 409 where somebody has changed them since.',
      ),
    replacesDigest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe(
        'Stands in the place of `replaces` where the rules are large: the SHA-256, in hexadecimal, of their JSON without spaces and with the keys of each object sorted.',
      ),
  })
  .meta({
    id: 'CommunityRules',
    description: `All rules of a community; at most ${MAX_RULES}, including nested ones.`,
    example: {
      rules: [
        {
          roleId: 'whale',
          type: 'ERC20',
          chainId: EXAMPLES.chainId,
          contractAddress: EXAMPLES.erc20,
          minToken: '100',
        },
        {
          roleId: 'collector',
          anyOf: [
            { type: 'ERC721', chainId: EXAMPLES.chainId, contractAddress: EXAMPLES.erc721 },
            { type: 'ERC1155', chainId: EXAMPLES.chainId, contractAddress: EXAMPLES.erc1155, tokenId: '7' },
          ],
        },
      ],
    },
  });

/** Rules are stored as received. */
const communityRulesBody = keepOriginal(communityRules);
type CommunityRulesBody = z.output<typeof communityRulesBody>;

const writtenCommunityRules = z.object({ rules: z.array(rawRoleRule) }).meta({ id: 'WrittenCommunityRules' });
type WrittenCommunityRules = z.output<typeof writtenCommunityRules>;

@Controller('communities/:communityId/rules')
export class CommunityRuleController {
  constructor(private readonly rules: CommunityRulesService) {}

  @Get()
  @Operation({
    ...communityRead,
    summary:
      'Get the rules that grant the roles, for members, administrators and attached client applications',
    description:
      'The rules as they were written, trees included, each with the role that it grants. For members, administrators and ' +
      'attached client applications.',
    errors: VIEWER_ERRORS,
  })
  @Returns(writtenCommunityRules)
  async getRules(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<WrittenCommunityRules> {
    return { rules: await this.rules.get(principal, communityId) };
  }

  @Put()
  @Operation({
    ...communityWriteByUser,
    summary: 'Replace all rules, for administrators',
    description:
      'The rules are validated like those of check-roles, and must fit the read budget of a user with 25 wallets. They need ' +
      'a client application that is approved for `token-gating`: that of the request, or one that is attached. Without one, ' +
      `where the deployment allows it, a community of at most ${MAX_MEMBERS_WITHOUT_APPLICATION} members has at most ${MAX_RULES_WITHOUT_APPLICATION} rules of the types ` +
      `${TYPES_WITHOUT_APPLICATION.join(', ')}. All members are checked again soon.`,
    conflicts: {
      ...RULES_CONFLICT,
      member_limit_exceeded: `without an approved client application a community has at most ${MAX_MEMBERS_WITHOUT_APPLICATION} members`,
      portal_community_limit_exceeded: `without an approved client application the owner has at most ${MAX_OWNED_WITHOUT_APPLICATION} communities`,
    },
    errors: [
      ...ADMINISTRATOR_ERRORS,
      '400 chain_not_supported',
      '400 portal_rule_limit_exceeded',
      '400 role_invalid',
      '400 rule_not_supported',
      '400 rule_read_limit_exceeded',
      '400 token_list_limit_exceeded',
      '400 url_invalid',
      '403 approval_required',
      '503 identity_unavailable',
    ],
  })
  @Returns(writtenCommunityRules)
  async replaceRules(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: communityRulesBody }) { value, original }: CommunityRulesBody,
  ): Promise<WrittenCommunityRules> {
    return { rules: await this.rules.replace(principal, communityId, value.rules, original) };
  }
}
