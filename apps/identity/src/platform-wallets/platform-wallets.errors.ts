import {
  AppError,
  conflict,
  forbidden,
  notFound,
  serviceUnavailable,
  RETRY_AFTER_SECONDS,
} from '@app/common';
import type { PlatformMember, PlatformMemberResponse } from '@app/dto';
import { invalidField } from '../common/request.errors.js';

/**
 * The same error for unknown, used and expired challenges and those of other applications, so that it reveals nothing.
 */
export const requestNotFound = () =>
  invalidField(
    'challenge_invalid',
    'requestId',
    'is not a challenge of this application for this user, has expired or was used: request a new one',
  );

export const linkNotFound = () =>
  notFound(
    'wallet_request_not_found',
    'This link has expired, was used, or belongs to an application that has left the community. Ask for a new one there.',
  );

export const walletNotLinked = () =>
  notFound(
    'wallet_not_found',
    'This wallet is not linked to the user in this community. Ask for a new link to try another wallet.',
  );

export const walletNotFound = () =>
  notFound('wallet_not_found', 'The user has no such wallet in this community.');

export const communitiesUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'communities_unavailable',
    'Communities cannot be looked up at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

export const communitySuspended = () =>
  forbidden(
    'community_suspended',
    'An operator of this service has suspended the community: those who run it read it and change nothing, and no roles are ' +
      'checked. Members can leave, and its owner can delete it.',
  );

type RefusedOutcome = Exclude<PlatformMemberResponse, PlatformMember>['outcome'];

const REFUSALS: Record<RefusedOutcome, () => AppError> = {
  community_not_found: () =>
    notFound('community_not_found', 'The community does not exist, or you may not see it.'),
  client_not_attached: () =>
    forbidden(
      'attached_client_required',
      'Only client applications that are attached to the community may do this: an administrator can attach yours.',
    ),
  member_not_found: () =>
    notFound('member_not_found', 'The community has no such member of chat, microblog or codehost.'),
  member_ambiguous: () =>
    conflict('user_id_conflict', 'Members of two platforms have this id: use the user id instead.'),
};

export const memberRefused = (outcome: RefusedOutcome): AppError => REFUSALS[outcome]();
