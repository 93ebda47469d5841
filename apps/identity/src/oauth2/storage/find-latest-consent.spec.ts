import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findLatestConsent } from './find-latest-consent.js';

const SCOPES = ['user:read', 'user:wallet:read', 'openid', 'offline_access'];

interface Grant {
  grantId: string;
  scopes: string[];
  refused: string[];
  decidedAt: number;
}

/** Consecutive decisions of a user: each scope granted, refused or not asked for. */
const history = fc
  .array(
    fc.record(Object.fromEntries(SCOPES.map((scope) => [scope, fc.constantFrom('yes', 'no', undefined)]))),
    {
      maxLength: 6,
    },
  )
  .map((decisions) =>
    decisions.map((answers, decidedAt): Grant => {
      const scopesWith = (answer: string) => SCOPES.filter((scope) => answers[scope] === answer);
      return { grantId: String(decidedAt), scopes: scopesWith('yes'), refused: scopesWith('no'), decidedAt };
    }),
  );

const requested = fc
  .uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1 })
  .map((scopes) => new Set(scopes));

/** Whether the latest decision on each scope granted it. */
function latestDecisions(grants: readonly Grant[]): Map<string, boolean> {
  const decisions = new Map<string, boolean>();
  for (const { scopes, refused } of grants) {
    for (const scope of scopes) decisions.set(scope, true);
    for (const scope of refused) decisions.set(scope, false);
  }
  return decisions;
}

const newestFirst = (grants: readonly Grant[]) => [...grants].sort((a, b) => b.decidedAt - a.decidedAt);

const decisionsOn = (grants: readonly Grant[], scopes: ReadonlySet<string>) => {
  const latest = findLatestConsent(newestFirst(grants), scopes);
  return (
    latest && [...scopes].map((scope) => [latest.granted.includes(scope), latest.refused.includes(scope)])
  );
};

describe('findLatestConsent', () => {
  it('findLatestConsent: returns the latest decision on each scope, and undefined if a scope was never decided', () => {
    fc.assert(
      fc.property(history, requested, (grants, scopes) => {
        const decisions = latestDecisions(grants);
        const expected = [...scopes].every((scope) => decisions.has(scope))
          ? [...scopes].map((scope) => [decisions.get(scope) === true, decisions.get(scope) === false])
          : undefined;
        expect(decisionsOn(grants, scopes)).toEqual(expected);
      }),
    );
  });

  it('findLatestConsent: includes other scopes only with their own latest decision', () => {
    fc.assert(
      fc.property(history, requested, (grants, scopes) => {
        const latest = findLatestConsent(newestFirst(grants), scopes);
        const decisions = latestDecisions(grants);
        for (const scope of latest?.granted ?? []) expect(decisions.get(scope)).toBe(true);
        for (const scope of latest?.refused ?? []) expect(decisions.get(scope)).toBe(false);
      }),
    );
  });

  it('findLatestConsent: returns the same decisions after any number of copies, until the next decision', () => {
    fc.assert(
      fc.property(history, fc.array(requested, { maxLength: 4 }), requested, (decisions, copied, scopes) => {
        const grants: Grant[] = [];
        for (const decision of decisions) {
          grants.push(decision);
          for (const copiedScopes of copied) copyInto(grants, copiedScopes);
        }
        expect(decisionsOn(grants, scopes)).toEqual(decisionsOn(decisions, scopes));
      }),
    );
  });
});

/** A copy has the time of the newest grant that it is copied from, as in oauth-models.queries.ts. */
function copyInto(grants: Grant[], scopes: ReadonlySet<string>): void {
  const latest = findLatestConsent(newestFirst(grants), scopes);
  if (!latest) return;
  const sources = grants.filter(({ grantId }) => latest.grantIds.includes(grantId));
  grants.push({
    grantId: `copy ${String(grants.length)}`,
    scopes: [...latest.granted],
    refused: [...latest.refused],
    decidedAt: Math.max(...sources.map(({ decidedAt }) => decidedAt)),
  });
}
