import { APPROVAL_SCOPES, type Scope } from '@app/dto';
import type { ClientApplication } from './entities/client-application.entity.js';

/** An application's requested and approved scopes, and whether it waits for an operator. */
export type ApprovalState = Pick<
  ClientApplication,
  'requestedScopes' | 'approvedScopes' | 'status' | 'rejectionReason'
>;

export const isApprovalRequired = (scope: Scope): boolean => APPROVAL_SCOPES.includes(scope);

/** The requested scopes that need an operator's approval; the others are approved at once. */
export const selectScopesForApproval = ({
  requestedScopes,
}: Pick<ApprovalState, 'requestedScopes'>): Scope[] => requestedScopes.filter(isApprovalRequired);

/** The requested scopes that need no approval or are in `scopes`, in the requested order. */
function selectGrantedScopes(requestedScopes: Scope[], scopes: readonly Scope[]): Scope[] {
  return requestedScopes.filter((scope) => !isApprovalRequired(scope) || scopes.includes(scope));
}

/** The state of a new application. */
export function createApprovalState(requestedScopes: Scope[]): ApprovalState {
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, []),
    status: selectScopesForApproval({ requestedScopes }).length > 0 ? 'pending' : 'approved',
    rejectionReason: null,
  };
}

/**
 * The state after a change by the owner. A change of reviewed fields, and any change after a rejection, requires a new
 * approval. Dropped scopes end at once; additional ones wait while the approved ones stay.
 */
export function updateApprovalState(
  before: ApprovalState,
  { requestedScopes, changesReviewedFields }: { requestedScopes: Scope[]; changesReviewedFields: boolean },
): ApprovalState {
  if (changesReviewedFields || before.status === 'rejected') return createApprovalState(requestedScopes);
  const forApproval = selectScopesForApproval({ requestedScopes });
  const requestsMore = forApproval.some((scope) => !before.requestedScopes.includes(scope));
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, before.approvedScopes),
    status: forApproval.length === 0 ? 'approved' : requestsMore ? 'pending' : before.status,
    rejectionReason: null,
  };
}

/**
 * Whether name and addresses are as an operator approved them, or need no approval. An application that waits for further
 * scopes keeps an approved one, which a change of reviewed fields would have ended.
 */
export const hasApprovedValues = ({
  status,
  approvedScopes,
}: Pick<ApprovalState, 'status' | 'approvedScopes'>): boolean =>
  status === 'approved' || approvedScopes.some(isApprovalRequired);

/** Approves exactly `scopes` of those that need approval. */
export function approveScopes({ requestedScopes }: ApprovalState, scopes: readonly Scope[]): ApprovalState {
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, scopes),
    status: 'approved',
    rejectionReason: null,
  };
}

/** Rejects all scopes that need approval. @param reason shown to the owner */
export function rejectScopes({ requestedScopes }: ApprovalState, reason: string): ApprovalState {
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, []),
    status: 'rejected',
    rejectionReason: reason,
  };
}
