import { displayName, roleColor } from '@app/dto';
import { z } from 'zod';
import { communityParams } from '../access/community-record.js';

export const communityRole = z
  .object({ id: z.string(), name: z.string(), color: roleColor.optional() })
  .meta({ id: 'CommunityRole' });
export type CommunityRole = z.output<typeof communityRole>;

export const communityRoleList = z
  .object({ items: z.array(communityRole) })
  .meta({ id: 'CommunityRoleList', description: 'In the order in which they were created.' });

export const communityRoleChange = z
  .strictObject({
    name: displayName.optional(),
    color: roleColor.nullable().optional().meta({ description: 'null removes it' }),
  })
  .meta({
    id: 'CommunityRoleChange',
    description: 'Omitted fields stay unchanged.',
    example: { name: 'Whale' },
  });
export type CommunityRoleChange = z.output<typeof communityRoleChange>;

export const communityRoleParams = communityParams.extend({
  roleId: z.string().min(1).max(64).meta({ example: 'whale' }),
});
export type CommunityRoleParams = z.output<typeof communityRoleParams>;
