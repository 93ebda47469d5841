import { roleId } from '@app/dto';
import { z } from 'zod';
import { communityParams, displayName } from '../access/community-record.js';
const color = z.int().min(0).max(0xff_ff_ff).meta({ description: 'RGB with 8 bits per channel' });

export const communityRole = z
  .object({ id: z.string(), name: z.string(), color: color.optional() })
  .meta({ id: 'CommunityRole' });
export type CommunityRole = z.output<typeof communityRole>;

export const communityRoleList = z
  .object({ items: z.array(communityRole) })
  .meta({ id: 'CommunityRoleList', description: 'In the order in which they were created.' });

export const newCommunityRole = z
  .strictObject({
    id: roleId.optional().meta({ description: 'Generated when omitted' }),
    name: displayName,
    color: color.optional(),
  })
  .meta({ id: 'NewCommunityRole', example: { name: 'Reader', color: 0x16_a3_4a } });
export type NewCommunityRole = z.output<typeof newCommunityRole>;

export const communityRoleChange = z
  .strictObject({
    name: displayName.optional(),
    color: color.nullable().optional().meta({ description: 'null removes it' }),
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
