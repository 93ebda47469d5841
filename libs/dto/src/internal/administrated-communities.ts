import { z } from 'zod';

/** POST /internal/administrated-communities of token-gating: the communities that a user administers, oldest right first. */
export const administratedCommunitiesRequest = z.strictObject({ userId: z.string().min(1).max(128) });
export type AdministratedCommunitiesRequest = z.output<typeof administratedCommunitiesRequest>;

export const administratedCommunitiesResponse = z.object({
  communities: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      visibility: z.string(),
      isSuspended: z.boolean().default(false),
      memberCount: z.int().nonnegative(),
    }),
  ),
  /** Whether there are more than the response lists. */
  hasMore: z.boolean(),
});
export type AdministratedCommunitiesResponse = z.output<typeof administratedCommunitiesResponse>;
