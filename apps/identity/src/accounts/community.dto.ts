import { pageOf, pageQuery, queryBoolean } from '@app/dto';
import { z } from 'zod';

const communityRole = z.object({ id: z.string(), name: z.string(), color: z.number().optional() });

/** contract.md section 7; which fields one sees depends on who one is to the community. */
const community = z
  .object({
    id: z.string(),
    communityId: z.string(),
    name: z.string(),
    platform: z.string(),
    status: z.string(),
    visibility: z.enum(['public', 'members', 'hidden']),
    createdTime: z.iso.datetime(),
    iconURL: z.string().optional(),
    serverImage: z.string().optional(),
    network: z.string().optional(),
    stats: z.looseObject({ memberCount: z.int().nonnegative().optional() }).optional(),
    roles: z.array(communityRole).optional(),
    tpcs: z.array(z.looseObject({})).optional().meta({ description: 'Token-gating rules; for members' }),
    ownerId: z
      .string()
      .optional()
      .meta({ description: 'For administrators and attached client applications' }),
    inviteLink: z
      .string()
      .optional()
      .meta({ description: 'For administrators and attached client applications' }),
  })
  .meta({ id: 'Community' });

export const communityPage = pageOf(community, 'CommunityPage');

export const administratedCommunitiesQuery = z.object({
  reload: queryBoolean.optional().meta({ description: 'Ask the platforms again for what is theirs to know' }),
  ...pageQuery.shape,
});
