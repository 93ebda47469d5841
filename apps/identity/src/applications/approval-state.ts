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

export interface OwnersChange {
  readonly requestedScopes: Scope[];
  /** Whether values of the owner wait for approval beside the approved ones. */
  readonly hasWaitingValues: boolean;
  /** Whether name, icon or addresses change of an application that no operator has reviewed. */
  readonly changesUnreviewedValues: boolean;
}

/**
 * The state after a change by the owner. Dropped scopes end at once; additional scopes and values wait while the approved ones
 * stay. Any change after a rejection, and a change of values that were never approved, requires a new approval.
 */
export function updateApprovalState(
  before: ApprovalState,
  { requestedScopes, hasWaitingValues, changesUnreviewedValues }: OwnersChange,
): ApprovalState {
  if (changesUnreviewedValues || before.status === 'rejected') {
    const state = createApprovalState(requestedScopes);
    return hasWaitingValues ? { ...state, status: 'pending' } : state;
  }
  const forApproval = selectScopesForApproval({ requestedScopes });
  const requestsMore = forApproval.some((scope) => !before.requestedScopes.includes(scope));
  const decided = forApproval.length === 0 ? 'approved' : before.status;
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, before.approvedScopes),
    status: hasWaitingValues || requestsMore ? 'pending' : decided,
    rejectionReason: null,
  };
}

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
