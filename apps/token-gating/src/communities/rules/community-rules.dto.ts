import { EXAMPLES, MAX_RULES, roleRules, rawRoleRule } from '@app/dto';
import { z } from 'zod';
import { keepOriginal } from '../../checks/keep-original.js';

const communityRules = z.strictObject({ rules: roleRules }).meta({
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
export const communityRulesBody = keepOriginal(communityRules);
export type CommunityRulesBody = z.output<typeof communityRulesBody>;

export const writtenCommunityRules = z
  .object({ rules: z.array(rawRoleRule) })
  .meta({ id: 'WrittenCommunityRules' });
export type WrittenCommunityRules = z.output<typeof writtenCommunityRules>;
