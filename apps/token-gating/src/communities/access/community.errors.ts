import { conflict, forbidden, notFound } from '@app/common';

export const communityNotFound = () =>
  notFound('community_not_found', 'The community does not exist, or you may not see it.');

export const communitySuspended = () =>
  forbidden(
    'community_suspended',
    'An operator of this service has suspended the community: those who run it read it and change nothing, and no roles are ' +
      'checked. Members can leave, and its owner can delete it.',
  );

export const administratorsOnly = () =>
  forbidden('administrator_required', 'Only administrators of the community may do this.');

export const ownerOnly = () => forbidden('owner_required', 'Only the owner of the community may do this.');

export const attachedClientsOnly = () =>
  forbidden(
    'attached_client_required',
    'Only client applications that are attached to the community may do this: an administrator can attach yours.',
  );

export const approvalRequired = () =>
  forbidden(
    'approval_required',
    'Rules need a client application that an operator has approved for the scope token-gating: send the request through ' +
      'one, or attach one to the community.',
  );

export const userNotFound = () =>
  notFound('user_not_found', 'The user does not exist, or does not belong to the community.');

export const rulesChanged = () =>
  conflict(
    'rules_conflict',
    'The community has other rules by now than `replaces` names: read them again, and make the change to them.',
  );

/** Documents `rulesChanged`. */
export const RULES_CONFLICT = {
  rules_conflict: 'the community has other rules by now than `replaces` names',
};
