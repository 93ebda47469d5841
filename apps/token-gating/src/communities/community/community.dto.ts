import { createPageSchema, EXAMPLES, rawRoleRule, userPlatform, visibility } from '@app/dto';
import { z } from 'zod';
import { communityRole } from '../roles/community-role.dto.js';
import { POLLED_REASONS } from '../rules/community-contracts.queries.js';

/** Roles in the response of one list, which keeps it within some megabytes. */
const MAX_ROLES_PER_PAGE = 10_000;

/** Counts how many of the first communities fit one response by their number of roles; at least one. */
export function countFittingCommunities(communities: readonly { readonly roleCount: number }[]): number {
  let roles = 0;
  const end = communities.findIndex(({ roleCount }, index) => {
    roles += roleCount;
    return index > 0 && roles > MAX_ROLES_PER_PAGE;
  });
  return end === -1 ? communities.length : end;
}

const managersOnlyText = z
  .string()
  .optional()
  .meta({ description: 'Present for administrators and attached client applications' });

const polledContract = z
  .object({
    chainId: z.int(),
    contractAddress: z.string(),
    reason: z.enum(POLLED_REASONS).meta({
      description:
        '`too_many_logs`: more than 1,000 transfers a minute; `logs_refused`: the node does not serve those of one block; `too_many_contracts`: more contracts than are followed',
    }),
    until: z.iso.datetime().meta({ description: 'When the contract is followed again' }),
  })
  .meta({ id: 'PolledContract' });

/** contract.md section 7. Which fields are present depends on what the caller is to the community. */
export const community = z
  .object({
    id: z.string(),
    communityId: z.string().meta({ description: 'Equal to `id`' }),
    name: z.string(),
    platform: userPlatform,
    status: z
      .enum(['active', 'suspended'])
      .meta({ description: 'Only those who run a suspended community see it' }),
    visibility,
    createdTime: z.iso.datetime(),
    iconURL: z.string().optional(),
    serverImage: z.string().optional(),
    network: z.string().optional(),
    stats: z.looseObject({ memberCount: z.int().nonnegative().optional() }).optional(),
    roles: z.array(communityRole).optional(),
    tpcs: z
      .array(rawRoleRule)
      .optional()
      .meta({ description: 'Token-gating rules; present for members, and absent in lists' }),
    polledContracts: z.array(polledContract).optional().meta({
      description:
        'Contracts of the rules whose transfers are not followed for a while: their rules are checked by balance checks only. Present for administrators and attached client applications where there are any, and absent in lists',
    }),
    ownerId: managersOnlyText,
    inviteLink: managersOnlyText,
  })
  .meta({ id: 'Community' });
export type Community = z.output<typeof community>;

export const communityPage = createPageSchema(community, 'CommunityPage');

export const newOwner = z
  .strictObject({
    userId: z.string().min(1).max(128).meta({ description: 'The user id of an administrator' }),
  })
  .meta({ id: 'NewCommunityOwner', example: { userId: EXAMPLES.holderId } });
export type NewOwner = z.output<typeof newOwner>;
