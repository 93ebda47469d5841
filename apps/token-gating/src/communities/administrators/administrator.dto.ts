import { EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { communityParams } from '../access/community-params.js';

export const administratorList = z
  .object({
    items: z.array(z.object({ userId: z.string(), isOwner: z.boolean(), createdTime: z.iso.datetime() })),
  })
  .meta({ id: 'CommunityAdministratorList' });
export type AdministratorList = z.output<typeof administratorList>;

export const administratorParams = communityParams.extend({
  userId: z.string().min(1).max(128).meta({ example: EXAMPLES.outsiderId }),
});
export type AdministratorParams = z.output<typeof administratorParams>;
