import { describe, expect, it } from '@jest/globals';
import { scope, type Scope } from '@app/dto';
import fc from 'fast-check';
import {
  approved,
  type ApprovalState,
  awaiting,
  changed,
  needsApproval,
  registered,
  rejected,
} from './scope-approval.js';

const scopes = fc.uniqueArray(fc.constantFrom<Scope>(...scope.options));

type Step = (state: ApprovalState) => ApprovalState;

const decision = fc.oneof(
  scopes.map<Step>((chosen) => (state) => approved(state, chosen)),
  fc.constant<Step>((state) => rejected(state, 'no')),
);
const change = fc
  .record({ requestedScopes: scopes, looksDifferent: fc.boolean() })
  .map<Step>((changes) => (state) => changed(state, changes));

describe('approval of scopes', () => {
  it('never gives what was not asked for, and always what needs no approval', () => {
    fc.assert(
      fc.property(scopes, fc.array(fc.oneof(decision, change)), (asked, steps) => {
        const end = steps.reduce((state, step) => step(state), registered(asked));
        for (const one of end.approvedScopes) expect(end.requestedScopes).toContain(one);
        for (const one of end.requestedScopes)
          if (!needsApproval(one)) expect(end.approvedScopes).toContain(one);
      }),
    );
  });

  it('gives nothing that needs it without an operator, whatever the owner does', () => {
    fc.assert(
      fc.property(scopes, fc.array(change), (asked, changes) => {
        const end = changes.reduce((state, step) => step(state), registered(asked));
        expect(end.approvedScopes.filter(needsApproval)).toEqual([]);
        expect(end.status).toBe(awaiting(end).length > 0 ? 'pending' : 'approved');
      }),
    );
  });

  it('is lost with another look, and after a refusal', () => {
    fc.assert(
      fc.property(scopes, scopes, scopes, (asked, chosen, askedLater) => {
        const was = approved(registered(asked), chosen);
        const other = changed(was, { requestedScopes: askedLater, looksDifferent: true });
        expect(other).toEqual(registered(askedLater));
        const refused = rejected(was, 'no');
        expect(refused.approvedScopes.filter(needsApproval)).toEqual([]);
        expect(changed(refused, { requestedScopes: asked, looksDifferent: false })).toEqual(
          registered(asked),
        );
      }),
    );
  });

  it('lets nobody wait for what was decided already', () => {
    const decided = approved(registered(['token-gating', 'accountkit']), ['accountkit']);
    const less = changed(decided, { requestedScopes: ['accountkit'], looksDifferent: false });
    expect(less).toMatchObject({ status: 'approved', approvedScopes: ['accountkit'] });
    const more = changed(less, { requestedScopes: ['accountkit', 'token-gating'], looksDifferent: false });
    expect(more).toMatchObject({ status: 'pending', approvedScopes: ['accountkit'] });
    const none = changed(more, { requestedScopes: ['user:read'], looksDifferent: false });
    expect(none).toMatchObject({ status: 'approved', approvedScopes: ['user:read'] });
  });
});
