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

/** As a user makes them, one after the other: about each scope yes, no, or nothing. */
const history = fc
  .array(
    fc.record(Object.fromEntries(SCOPES.map((scope) => [scope, fc.constantFrom('yes', 'no', undefined)]))),
    {
      maxLength: 6,
    },
  )
  .map((decisions) =>
    decisions.map((answers, decidedAt): Grant => {
      const that = (answer: string) => SCOPES.filter((scope) => answers[scope] === answer);
      return { grantId: String(decidedAt), scopes: that('yes'), refused: that('no'), decidedAt };
    }),
  );

const asked = fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1 }).map((scopes) => new Set(scopes));

/** The last word about each scope. */
function lastWords(grants: readonly Grant[]): Map<string, boolean> {
  const words = new Map<string, boolean>();
  for (const { scopes, refused } of grants) {
    for (const scope of scopes) words.set(scope, true);
    for (const scope of refused) words.set(scope, false);
  }
  return words;
}

const newestFirst = (grants: readonly Grant[]) => [...grants].sort((a, b) => b.decidedAt - a.decidedAt);

const answersTo = (grants: readonly Grant[], scopes: ReadonlySet<string>) => {
  const latest = findLatestConsent(newestFirst(grants), scopes);
  return (
    latest && [...scopes].map((scope) => [latest.granted.includes(scope), latest.refused.includes(scope)])
  );
};

describe('the latest decision', () => {
  it('is the last word about each scope, and none where one was never decided', () => {
    fc.assert(
      fc.property(history, asked, (grants, scopes) => {
        const words = lastWords(grants);
        const expected = [...scopes].every((scope) => words.has(scope))
          ? [...scopes].map((scope) => [words.get(scope) === true, words.get(scope) === false])
          : undefined;
        expect(answersTo(grants, scopes)).toEqual(expected);
      }),
    );
  });

  it('says nothing about other scopes than what is the last word about them, too', () => {
    fc.assert(
      fc.property(history, asked, (grants, scopes) => {
        const latest = findLatestConsent(newestFirst(grants), scopes);
        const words = lastWords(grants);
        for (const scope of latest?.granted ?? []) expect(words.get(scope)).toBe(true);
        for (const scope of latest?.refused ?? []) expect(words.get(scope)).toBe(false);
      }),
    );
  });

  it('stays what it was however often it is copied, and is outdone by the next', () => {
    fc.assert(
      fc.property(history, fc.array(asked, { maxLength: 4 }), asked, (decisions, copied, scopes) => {
        const grants: Grant[] = [];
        for (const decision of decisions) {
          grants.push(decision);
          for (const some of copied) copyInto(grants, some);
        }
        expect(answersTo(grants, scopes)).toEqual(answersTo(decisions, scopes));
      }),
    );
  });
});

/** With the time of the newest that it was read from, as insert-grant.ts does it. */
function copyInto(grants: Grant[], scopes: ReadonlySet<string>): void {
  const latest = findLatestConsent(newestFirst(grants), scopes);
  if (!latest) return;
  const read = grants.filter(({ grantId }) => latest.grantIds.includes(grantId));
  grants.push({
    grantId: `copy ${String(grants.length)}`,
    scopes: [...latest.granted],
    refused: [...latest.refused],
    decidedAt: Math.max(...read.map(({ decidedAt }) => decidedAt)),
  });
}
