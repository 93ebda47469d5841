import { conflict, notFound } from '@app/common';

export const memberNotFound = () => notFound('member_not_found', 'The community has no such member.');

export const ambiguousUser = () =>
  conflict('user_id_conflict', 'Members of two platforms have this id: use the user id instead.');

/** Documents `ambiguousUser` for operations that accept either id of a member. */
export const AMBIGUOUS_USER_CONFLICT = { user_id_conflict: 'members of two platforms have this id' };
