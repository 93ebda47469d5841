import { EXAMPLES } from '@app/dto';
import { z } from 'zod';

export const communityParams = z.object({
  communityId: z.string().min(1).max(128).meta({ example: EXAMPLES.communityId }),
});
export type CommunityParams = z.output<typeof communityParams>;
