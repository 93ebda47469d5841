/** Users and client applications; CommunityAccessService decides what each of them may see. */
export const communityRead = { caller: 'either', scope: 'community:read' } as const;

/** Signed-in users only. */
export const communityWriteByUser = { caller: 'user', scope: 'community:write' } as const;

/** Signed-in users, and client applications that are attached to the community. */
export const communityWriteByEither = { caller: 'either', scope: 'community:write' } as const;

/** Attached client applications only. */
export const communityWriteByClient = { caller: 'client', scope: 'community:write' } as const;
