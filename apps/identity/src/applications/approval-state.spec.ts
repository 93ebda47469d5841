import { describe, expect, it } from '@jest/globals';
import { scope, type Scope } from '@app/dto';
import fc from 'fast-check';
import {
  approveScopes,
  type ApprovalState,
  selectScopesForApproval,
  updateApprovalState,
  isApprovalRequired,
  createApprovalState,
  rejectScopes,
} from './approval-state.js';

const scopes = fc.uniqueArray(fc.constantFrom<Scope>(...scope.options));

type Step = (state: ApprovalState) => ApprovalState;

const decision = fc.oneof(
  scopes.map<Step>((chosen) => (state) => approveScopes(state, chosen)),
  fc.constant<Step>((state) => rejectScopes(state, 'no')),
);
const change = fc
  .record({
    requestedScopes: scopes,
    hasWaitingValues: fc.constant(false),
    changesUnreviewedValues: fc.boolean(),
  })
  .map<Step>((changes) => (state) => updateApprovalState(state, changes));

const UNCHANGED = { hasWaitingValues: false, changesUnreviewedValues: false };

describe('approval state', () => {
  it('approval state: never grants a scope that was not requested, and always those that need no approval', () => {
    fc.assert(
      fc.property(scopes, fc.array(fc.oneof(decision, change)), (requested, steps) => {
        const end = steps.reduce((state, step) => step(state), createApprovalState(requested));
        for (const granted of end.approvedScopes) expect(end.requestedScopes).toContain(granted);
        for (const granted of end.requestedScopes)
          if (!isApprovalRequired(granted)) expect(end.approvedScopes).toContain(granted);
      }),
    );
  });

  it('approval state: grants no scope that needs approval without an operator, whatever the owner changes', () => {
    fc.assert(
      fc.property(scopes, fc.array(change), (requested, changes) => {
        const end = changes.reduce((state, step) => step(state), createApprovalState(requested));
        expect(end.approvedScopes.filter(isApprovalRequired)).toEqual([]);
        expect(end.status).toBe(selectScopesForApproval(end).length > 0 ? 'pending' : 'approved');
      }),
    );
  });

  it('approval state: is reset by a change of values that were never reviewed, and by a rejection', () => {
    fc.assert(
      fc.property(scopes, scopes, scopes, (requested, chosen, requestedLater) => {
        const approved = approveScopes(createApprovalState(requested), chosen);
        const other = updateApprovalState(approved, {
          requestedScopes: requestedLater,
          ...UNCHANGED,
          changesUnreviewedValues: true,
        });
        expect(other).toEqual(createApprovalState(requestedLater));
        const rejected = rejectScopes(approved, 'no');
        expect(rejected.approvedScopes.filter(isApprovalRequired)).toEqual([]);
        expect(updateApprovalState(rejected, { requestedScopes: requested, ...UNCHANGED })).toEqual(
          createApprovalState(requested),
        );
      }),
    );
  });

  it('approval state: does not wait for scopes that were decided already', () => {
    const decided = approveScopes(createApprovalState(['token-gating', 'accountkit']), ['accountkit']);
    const less = updateApprovalState(decided, {
      requestedScopes: ['accountkit'],
      ...UNCHANGED,
    });
    expect(less).toMatchObject({ status: 'approved', approvedScopes: ['accountkit'] });
    const more = updateApprovalState(less, {
      requestedScopes: ['accountkit', 'token-gating'],
      ...UNCHANGED,
    });
    expect(more).toMatchObject({ status: 'pending', approvedScopes: ['accountkit'] });
    const none = updateApprovalState(more, { requestedScopes: ['user:read'], ...UNCHANGED });
    expect(none).toMatchObject({ status: 'approved', approvedScopes: ['user:read'] });
  });

  it('approval state: keeps approved scopes while values wait, and waits although no scope does', () => {
    fc.assert(
      fc.property(scopes, scopes, (requested, chosen) => {
        const approved = approveScopes(createApprovalState(requested), chosen);
        const renamed = { ...UNCHANGED, requestedScopes: requested, hasWaitingValues: true };
        expect(updateApprovalState(approved, renamed)).toEqual({ ...approved, status: 'pending' });
        expect(updateApprovalState(rejectScopes(approved, 'no'), renamed).status).toBe('pending');
      }),
    );
  });
});
