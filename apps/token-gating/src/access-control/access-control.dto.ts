import { z } from 'zod';

export const checkResponseParams = z.object({ requestId: z.string().min(1).max(128) });

export const memberParams = z.object({
  communityId: z.string().min(1).max(128),
  userId: z.string().min(1).max(128),
});
