import { APPROVAL_SCOPES, type Scope } from '@app/dto';
import type { ClientApplication } from './entities/client-application.entity.js';

/** What approval says of an application: which scopes it has, and whether an operator is waited for. */
export type ApprovalState = Pick<
  ClientApplication,
  'requestedScopes' | 'approvedScopes' | 'status' | 'rejectionReason'
>;

export const isApprovalRequired = (scope: Scope): boolean => APPROVAL_SCOPES.includes(scope);

/** What an operator has to decide about: the others are approved at once. */
export const selectScopesForApproval = ({
  requestedScopes,
}: Pick<ApprovalState, 'requestedScopes'>): Scope[] => requestedScopes.filter(isApprovalRequired);

/** `scopes` of those that were asked for, in the order they were asked for. */
function selectGrantedScopes(requestedScopes: Scope[], scopes: readonly Scope[]): Scope[] {
  return requestedScopes.filter((scope) => !isApprovalRequired(scope) || scopes.includes(scope));
}

/** A new application that asks for these scopes. */
export function createApprovalState(requestedScopes: Scope[]): ApprovalState {
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, []),
    status: selectScopesForApproval({ requestedScopes }).length > 0 ? 'pending' : 'approved',
    rejectionReason: null,
  };
}

/**
 * After a change by its owner. What an operator has seen and approved is a name, an icon and the places that users are
 * sent to; when these change, what needed approval waits for it again, and so it does after a refusal. Scopes given up
 * are gone at once, scopes asked for on top wait without taking away what was approved.
 */
export function updateApprovalState(
  before: ApprovalState,
  { requestedScopes, looksDifferent }: { requestedScopes: Scope[]; looksDifferent: boolean },
): ApprovalState {
  if (looksDifferent || before.status === 'rejected') return createApprovalState(requestedScopes);
  const waiting = selectScopesForApproval({ requestedScopes });
  const asksForMore = waiting.some((scope) => !before.requestedScopes.includes(scope));
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, before.approvedScopes),
    status: waiting.length === 0 ? 'approved' : asksForMore ? 'pending' : before.status,
    rejectionReason: null,
  };
}

/** An operator approved these of the scopes that need it, and no others. */
export function approveScopes({ requestedScopes }: ApprovalState, scopes: readonly Scope[]): ApprovalState {
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, scopes),
    status: 'approved',
    rejectionReason: null,
  };
}

/** An operator refused: what needs approval is gone, and the owner reads why. */
export function rejectScopes({ requestedScopes }: ApprovalState, reason: string): ApprovalState {
  return {
    requestedScopes,
    approvedScopes: selectGrantedScopes(requestedScopes, []),
    status: 'rejected',
    rejectionReason: reason,
  };
}
