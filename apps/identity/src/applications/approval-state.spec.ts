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
  .record({ requestedScopes: scopes, looksDifferent: fc.boolean() })
  .map<Step>((changes) => (state) => updateApprovalState(state, changes));

describe('approval of scopes', () => {
  it('never gives what was not asked for, and always what needs no approval', () => {
    fc.assert(
      fc.property(scopes, fc.array(fc.oneof(decision, change)), (asked, steps) => {
        const end = steps.reduce((state, step) => step(state), createApprovalState(asked));
        for (const one of end.approvedScopes) expect(end.requestedScopes).toContain(one);
        for (const one of end.requestedScopes)
          if (!isApprovalRequired(one)) expect(end.approvedScopes).toContain(one);
      }),
    );
  });

  it('gives nothing that needs it without an operator, whatever the owner does', () => {
    fc.assert(
      fc.property(scopes, fc.array(change), (asked, changes) => {
        const end = changes.reduce((state, step) => step(state), createApprovalState(asked));
        expect(end.approvedScopes.filter(isApprovalRequired)).toEqual([]);
        expect(end.status).toBe(selectScopesForApproval(end).length > 0 ? 'pending' : 'approved');
      }),
    );
  });

  it('is lost with another look, and after a refusal', () => {
    fc.assert(
      fc.property(scopes, scopes, scopes, (asked, chosen, askedLater) => {
        const was = approveScopes(createApprovalState(asked), chosen);
        const other = updateApprovalState(was, { requestedScopes: askedLater, looksDifferent: true });
        expect(other).toEqual(createApprovalState(askedLater));
        const refused = rejectScopes(was, 'no');
        expect(refused.approvedScopes.filter(isApprovalRequired)).toEqual([]);
        expect(updateApprovalState(refused, { requestedScopes: asked, looksDifferent: false })).toEqual(
          createApprovalState(asked),
        );
      }),
    );
  });

  it('lets nobody wait for what was decided already', () => {
    const decided = approveScopes(createApprovalState(['token-gating', 'accountkit']), ['accountkit']);
    const less = updateApprovalState(decided, { requestedScopes: ['accountkit'], looksDifferent: false });
    expect(less).toMatchObject({ status: 'approved', approvedScopes: ['accountkit'] });
    const more = updateApprovalState(less, {
      requestedScopes: ['accountkit', 'token-gating'],
      looksDifferent: false,
    });
    expect(more).toMatchObject({ status: 'pending', approvedScopes: ['accountkit'] });
    const none = updateApprovalState(more, { requestedScopes: ['user:read'], looksDifferent: false });
    expect(none).toMatchObject({ status: 'approved', approvedScopes: ['user:read'] });
  });
});
