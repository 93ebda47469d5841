import { conflict, notFound } from '@app/common';
import { PLAN_LIMITS } from '@app/dto';
import {
  MAX_MEMBERS_WITHOUT_APPLICATION,
  REMEDY_WITHOUT_APPLICATION,
} from '../without-application/rule-limits.js';

export const memberNotFound = () => notFound('member_not_found', 'The community has no such member.');

export const ambiguousUser = () =>
  conflict('user_id_conflict', 'Members of two platforms have this id: use the user id instead.');

export const memberLimitExceeded = (limit: number) =>
  conflict(
    'member_limit_exceeded',
    `By the plans of its client applications the community may have ${limit} members: attach one with a larger plan.`,
  );

/** The error for members and rules of a community that no approved client application stands for. */
export const memberLimitWithoutApplicationExceeded = () =>
  conflict(
    'member_limit_exceeded',
    `A community without an approved client application has at most ${MAX_MEMBERS_WITHOUT_APPLICATION} members: ${REMEDY_WITHOUT_APPLICATION}.`,
  );

/** Documents `memberLimitExceeded`. */
export const MEMBER_LIMIT_CONFLICT = {
  member_limit_exceeded:
    `a community has at most ${PLAN_LIMITS.free.members} members, or ${PLAN_LIMITS.paid.members} with a client ` +
    `application on the paid plan; one whose rules no approved client application stands for has ${MAX_MEMBERS_WITHOUT_APPLICATION}`,
};

/** Documents `ambiguousUser` for operations that accept either id of a member. */
export const AMBIGUOUS_USER_CONFLICT = { user_id_conflict: 'members of two platforms have this id' };
