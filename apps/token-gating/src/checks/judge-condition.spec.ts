import { describe, expect, it } from '@jest/globals';
import { type Condition, type TokenGatingRule, tokenGatingRule } from '@app/dto';
import fc from 'fast-check';
import { VAULTS_NOT_READ } from '../rules/rule-failures.js';
import { GRANTED, NOT_GRANTED, toUndetermined, type Verdict } from '../rules/verdict.js';
import { judgeCondition, judgeEntry, judgeWhole } from './judge-condition.js';
import { mergeRoles } from './roles-response.js';

const failed = (permanent: boolean): Verdict =>
  toUndetermined({
    ok: false,
    permanent: permanent,
    code: permanent ? 'reverted' : 'unavailable',
    message: '',
  });
const [YES, NO, UNKNOWN] = [GRANTED, NOT_GRANTED, failed(false)];
type Letter = 'T' | 'F' | 'U';
const VERDICTS: Record<Letter, Verdict> = { T: YES, F: NO, U: UNKNOWN };
const LETTERS = { granted: 'T', not_granted: 'F', undetermined: 'U' } as const;

/** Verdicts are looked up by the rule object of the leaf. */
const leaf = (): { condition: Condition; rule: TokenGatingRule } => {
  const rule = tokenGatingRule.parse({ type: 'NATIVE', chainId: 1 });
  return { condition: { kind: 'rule', rule }, rule };
};

function judgeLetters(compose: (leaves: Condition[]) => Condition, letters: string): Letter {
  const leaves = Array.from(letters, leaf);
  const verdicts = new Map(leaves.map(({ rule }, at) => [rule, VERDICTS[letters[at] as Letter]]));
  const condition = compose(leaves.map((one) => one.condition));
  return LETTERS[judgeCondition(condition, (rule) => verdicts.get(rule) ?? NO).kind];
}

describe('judgeCondition', () => {
  it.each([
    ['TT', 'T', 'T'],
    ['TF', 'F', 'T'],
    ['TU', 'U', 'T'],
    ['FT', 'F', 'T'],
    ['FF', 'F', 'F'],
    ['FU', 'F', 'U'],
    ['UT', 'U', 'T'],
    ['UF', 'F', 'U'],
    ['UU', 'U', 'U'],
  ])('for %s: allOf is %s, anyOf is %s', (letters, all, any) => {
    expect(judgeLetters((of) => ({ kind: 'allOf', of }), letters)).toBe(all);
    expect(judgeLetters((of) => ({ kind: 'anyOf', of }), letters)).toBe(any);
  });

  it.each([
    ['T', 'F'],
    ['F', 'T'],
    ['U', 'U'],
  ])('judgeCondition: not %s is %s', (letters, result) => {
    const not = (of: Condition[]): Condition => ({ kind: 'not', of: of[0] ?? leaf().condition });
    expect(judgeLetters(not, letters)).toBe(result);
  });

  it('judgeCondition: agrees with a plain model of three values for random trees', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(treeWithCounts, letters16, (condition, letters) => {
        const rules = rulesOf(condition);
        const letterOf = (rule: TokenGatingRule): Letter =>
          letters[rules.indexOf(rule) % letters.length] ?? 'F';
        const expected = judgePlainly(condition, letterOf);
        const judged = judgeEntry(condition, (rule) => VERDICTS[letterOf(rule)]);
        expect(LETTERS[judged.kind]).toBe(expected);
        seen.add(expected);
        if (judged.kind !== 'undetermined' || condition.kind === 'rule') return;
        // A rule is named exactly where the parts around it are undetermined, too.
        expect(judged.parts?.map(({ path }) => path)).toEqual(listOpenPaths(condition, letterOf));
      }),
      { numRuns: 3_000 },
    );
    expect([...seen].sort()).toEqual(['F', 'T', 'U']);
  });

  it('judgeCondition: is undetermined by a transient failure where there is one', () => {
    const [permanent, transient] = [leaf(), leaf()];
    const verdictOf = (rule: TokenGatingRule) => failed(rule === permanent.rule);
    for (const kind of ['allOf', 'anyOf'] as const)
      for (const of of [
        [permanent.condition, transient.condition],
        [transient.condition, permanent.condition],
      ])
        expect(judgeCondition({ kind, of }, verdictOf)).toMatchObject({ failure: { permanent: false } });
  });

  it('judgeCondition: keeps a determined result whatever the undetermined rules turn out to be', () => {
    fc.assert(
      fc.property(
        tree,
        fc.array(fc.constantFrom<Letter>('T', 'F', 'U'), { minLength: 16, maxLength: 16 }),
        fc.nat(),
        (condition, letters, choice) => {
          const rules = rulesOf(condition);
          const judge = (verdictAt: (at: number) => Verdict) =>
            judgeCondition(condition, (rule) => verdictAt(rules.indexOf(rule) % letters.length)).kind;
          const determined = judge((at) => VERDICTS[letters[at] ?? 'F']);
          if (determined === 'undetermined') return;
          const resolve = (at: number): Verdict => {
            const letter = letters[at] ?? 'F';
            return letter === 'U' ? ((choice >> at) % 2 === 0 ? YES : NO) : VERDICTS[letter];
          };
          expect(judge(resolve)).toBe(determined);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/** Verdicts of rules, V of those whose vaults were not read, P and U of permanent and transient failures. */
const ALL_VERDICTS = { T: YES, F: NO, U: UNKNOWN, P: failed(true), V: toUndetermined(VAULTS_NOT_READ) };

describe('vaults that are not read', () => {
  const composed = (
    kind: 'allOf' | 'anyOf',
    letters: string,
  ): [Condition, (rule: TokenGatingRule) => Verdict] => {
    const leaves = Array.from(letters, leaf);
    const verdicts = new Map(
      leaves.map(({ rule }, at) => [rule, ALL_VERDICTS[letters[at] as keyof typeof ALL_VERDICTS]]),
    );
    return [{ kind, of: leaves.map((one) => one.condition) }, (rule) => verdicts.get(rule) ?? NO];
  };
  const roleOf = (...entries: readonly (readonly [Condition, (rule: TokenGatingRule) => Verdict])[]) =>
    [judgeWhole, judgeEntry].map((judge) => {
      const verdicts = entries.map(([condition, verdictOf]) => judge(condition, verdictOf));
      return mergeRoles(
        entries.map(() => ({ roleId: 'a' })),
        verdicts,
      )[0];
    });

  it.each([
    ['anyOf', 'VP', 'undetermined'],
    ['anyOf', 'VU', 'undetermined'],
    ['anyOf', 'VF', 'not_granted'],
    ['anyOf', 'VT', 'granted'],
    ['allOf', 'VP', 'not_granted'],
    ['allOf', 'VU', 'not_granted'],
    ['allOf', 'VT', 'not_granted'],
  ] as const)('judgeWhole: %s of %s is %s in either order', (kind, letters, expected) => {
    for (const order of [letters, `${letters[1]}${letters[0]}`]) {
      expect(roleOf(composed(kind, order)).map((role) => role?.kind)).toEqual([expected, expected]);
      const [condition, verdictOf] = composed(kind, order);
      const [negated] = roleOf([{ kind: 'not', of: condition }, verdictOf]);
      expect(negated?.kind).not.toBe('granted');
    }
  });

  it('judgeEntry: names the vaults alone where they are why a tree is not granted, so that no retry is asked for', () => {
    const [whole, entry] = roleOf(composed('allOf', 'UV'));
    expect(whole?.errors).toMatchObject([{ name: 'VaultsNotReadError', retryable: false }]);
    expect(entry?.errors).toMatchObject([{ name: 'VaultsNotReadError', path: 'allOf.1' }]);
    expect(roleOf(composed('anyOf', 'UV'))[1]?.errors).toMatchObject([
      { path: 'anyOf.0' },
      { path: 'anyOf.1' },
    ]);
  });

  it('judgeWhole: does not depend on the order of parts and entries, and counts vaults as what grants least', () => {
    const kinds = new Set<string>();
    const names = fc.array(fc.constantFrom<keyof typeof ALL_VERDICTS>('T', 'F', 'U', 'P', 'V'), {
      minLength: 64,
    });
    const entries = fc.array(treeWithCounts, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(entries, names, fc.infiniteStream(fc.nat()), (conditions, letters, numbers) => {
        const rules = conditions.flatMap(rulesOf);
        const letterOf = new Map(rules.map((rule, at) => [rule, letters[at % letters.length]]));
        const hidden = rules.filter((rule) => letterOf.get(rule) === 'V');
        fc.pre(hidden.length <= 6);
        const verdictOf = (rule: TokenGatingRule) => ALL_VERDICTS[letterOf.get(rule) ?? 'F'];
        const judge = (list: readonly Condition[]) => roleOf(...list.map((one) => [one, verdictOf] as const));
        const summarize = (roles: ReturnType<typeof judge>) => ({
          kinds: roles.map((role) => role?.kind),
          // Paths move with the parts; which failures are named does not.
          names: roles[1]?.errors.map(({ name }) => name).sort(),
        });
        const judged = summarize(judge(conditions));
        const shuffled = shuffle(conditions, numbers).map((one) => shuffleParts(one, numbers));
        expect(summarize(judge(shuffled))).toEqual(judged);

        const order = ['F', 'U', 'T'] as const;
        const least = conditions.map((condition) => {
          const results = Array.from({ length: 2 ** hidden.length }, (_, bits) =>
            judgePlainly(condition, (rule) => {
              const letter = letterOf.get(rule) ?? 'F';
              if (letter === 'V') return (bits >> hidden.indexOf(rule)) % 2 === 0 ? 'F' : 'T';
              return letter === 'P' ? 'U' : letter;
            }),
          );
          return Math.min(...results.map((letter) => order.indexOf(letter)));
        });
        const expected = order[Math.max(...least)];
        expect(judged.kinds.map((kind) => kind && LETTERS[kind])).toEqual([expected, expected]);
        if (hidden.length > 0) kinds.add(String(expected));
      }),
      { numRuns: 2_000 },
    );
    expect([...kinds].sort()).toEqual(['F', 'T', 'U']);
  });
});

function shuffle<T>(items: readonly T[], numbers: Iterator<number>): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(Number(numbers.next().value) % rest.length, 1));
}

function shuffleParts(condition: Condition, numbers: Iterator<number>): Condition {
  if (condition.kind === 'rule') return condition;
  if (condition.kind === 'not') return { kind: 'not', of: shuffleParts(condition.of, numbers) };
  return { ...condition, of: shuffle(condition.of, numbers).map((part) => shuffleParts(part, numbers)) };
}

const { tree } = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null).map(() => leaf().condition),
    fc.record({
      kind: fc.constantFrom('allOf' as const, 'anyOf' as const),
      of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('tree') }),
  ),
}));

const letters16 = fc.array(fc.constantFrom<Letter>('T', 'F', 'U'), { minLength: 16, maxLength: 16 });

const { tree: treeWithCounts } = fc.letrec<{ tree: Condition }>((tie) => {
  const of = fc.array(tie('tree'), { minLength: 1, maxLength: 4 });
  return {
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constant(null).map(() => leaf().condition),
      fc.record({ kind: fc.constantFrom('allOf' as const, 'anyOf' as const), of }),
      fc.tuple(of, fc.nat()).map(([parts, n]) => ({
        ...{ kind: 'atLeast' as const, count: 1 + (n % parts.length), of: parts },
      })),
      fc.record({ kind: fc.constant('not' as const), of: tie('tree') }),
    ),
  };
});

/** Numbers stand for the three values: 1, 0 and a half for undetermined. `not` is 1 - x, and `atLeast` the count-th largest. */
function judgePlainly(condition: Condition, letterOf: (rule: TokenGatingRule) => Letter): Letter {
  const toNumber = (one: Condition): number => {
    if (one.kind === 'rule') return { T: 1, U: 0.5, F: 0 }[letterOf(one.rule)];
    if (one.kind === 'not') return 1 - toNumber(one.of);
    const values = one.of.map(toNumber).sort((a, b) => b - a);
    if (one.kind === 'atLeast') return values[one.count - 1] ?? -1;
    return one.kind === 'anyOf' ? Math.max(...values) : Math.min(...values);
  };
  return ({ 1: 'T', 0.5: 'U', 0: 'F' } as const)[toNumber(condition) as 0 | 0.5 | 1];
}

function listOpenPaths(
  condition: Condition,
  letterOf: (rule: TokenGatingRule) => Letter,
  path: readonly string[] = [],
): string[] {
  if (judgePlainly(condition, letterOf) !== 'U') return [];
  switch (condition.kind) {
    case 'rule':
      return [path.join('.')];
    case 'not':
      return listOpenPaths(condition.of, letterOf, [...path, 'not']);
    case 'atLeast':
      return condition.of.flatMap((one, at) =>
        listOpenPaths(one, letterOf, [...path, 'atLeast', 'of', String(at)]),
      );
    case 'allOf':
    case 'anyOf':
      return condition.of.flatMap((one, at) =>
        listOpenPaths(one, letterOf, [...path, condition.kind, String(at)]),
      );
  }
}

function rulesOf(condition: Condition): TokenGatingRule[] {
  if (condition.kind === 'rule') return [condition.rule];
  return condition.kind === 'not' ? rulesOf(condition.of) : condition.of.flatMap(rulesOf);
}
