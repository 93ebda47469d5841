/** For whoever is named: what they may see is decided here. */
export const communityRead = { caller: 'either', scope: 'community:read' } as const;

/** For people. */
export const communityWriteByUser = { caller: 'user', scope: 'community:write' } as const;

/** For people, and for client applications that are attached to the community. */
export const communityWriteByEither = { caller: 'either', scope: 'community:write' } as const;

/** For attached client applications. */
export const communityWriteByClient = { caller: 'client', scope: 'community:write' } as const;
