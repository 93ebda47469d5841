const CANONICAL_ID = /^[1-9]\d{0,18}$/;

/** Ids are canonical decimal text: another spelling of an id would be another account, and a number loses digits above 2^53. */
export const isPlatformUserId = (id: unknown): id is string =>
  typeof id === 'string' && CANONICAL_ID.test(id);
