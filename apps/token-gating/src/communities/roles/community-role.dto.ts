import { roleId } from '@app/dto';
import { z } from 'zod';
import { communityParams } from '../access/community-params.js';
import { displayName } from '../access/community-record.js';

const color = z.int().min(0).max(0xff_ff_ff).meta({ description: 'RGB, 8 bits each' });

export const communityRole = z
  .object({ id: z.string(), name: z.string(), color: color.optional() })
  .meta({ id: 'CommunityRole' });
export type CommunityRole = z.output<typeof communityRole>;

export const communityRoleList = z
  .object({ items: z.array(communityRole) })
  .meta({ id: 'CommunityRoleList', description: 'In the order in which they were made.' });

export const newCommunityRole = z
  .strictObject({
    id: roleId.optional().meta({ description: 'Made up when it is left out' }),
    name: displayName,
    color: color.optional(),
  })
  .meta({ id: 'NewCommunityRole' });
export type NewCommunityRole = z.output<typeof newCommunityRole>;

export const communityRoleChange = z
  .strictObject({
    name: displayName.optional(),
    color: color.nullable().optional().meta({ description: 'null takes it away' }),
  })
  .meta({ id: 'CommunityRoleChange', description: 'What is left out stays.' });
export type CommunityRoleChange = z.output<typeof communityRoleChange>;

export const communityRoleParams = communityParams.extend({ roleId: z.string().min(1).max(64) });
export type CommunityRoleParams = z.output<typeof communityRoleParams>;
