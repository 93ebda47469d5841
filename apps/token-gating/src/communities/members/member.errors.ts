import { conflict, notFound } from '@app/common';
import { PLAN_LIMITS } from '@app/dto';

export const memberNotFound = () => notFound('member_not_found', 'The community has no such member.');

export const ambiguousUser = () =>
  conflict('user_id_conflict', 'Members of two platforms have this id: use the user id instead.');

export const memberLimitExceeded = (limit: number) =>
  conflict(
    'member_limit_exceeded',
    `By the plans of its client applications the community may have ${limit} members: attach one with a larger plan.`,
  );

/** Documents `memberLimitExceeded`. */
export const MEMBER_LIMIT_CONFLICT = {
  member_limit_exceeded:
    `a community has at most ${PLAN_LIMITS.free.members} members, or ${PLAN_LIMITS.paid.members} with a client ` +
    'application on the paid plan',
};

/** Documents `ambiguousUser` for operations that accept either id of a member. */
export const AMBIGUOUS_USER_CONFLICT = { user_id_conflict: 'members of two platforms have this id' };
