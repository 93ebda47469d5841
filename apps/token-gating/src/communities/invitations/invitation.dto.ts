import { z } from 'zod';
import { communityParams } from '../access/community-params.js';

export const invitationParams = communityParams.extend({
  code: z.string().min(1).max(128).meta({ example: 'code' }),
});
export type InvitationParams = z.output<typeof invitationParams>;

export const invitedCommunity = z
  .object({
    communityId: z.string(),
    name: z.string(),
    iconURL: z.string().optional(),
    memberCount: z.int().nonnegative(),
  })
  .meta({ id: 'CommunityInvitation', description: 'What an invited user sees of the community.' });
export type InvitedCommunity = z.output<typeof invitedCommunity>;

export const newInvitation = z.object({ inviteLink: z.string() }).meta({ id: 'NewCommunityInvitation' });
export type NewInvitation = z.output<typeof newInvitation>;
