import { describe, expect, it } from '@jest/globals';
import { toInputIssues } from '@app/common';
import fc from 'fast-check';
import { z } from 'zod';
import { acceptValidInput } from '../accept-valid-input.js';
import { MAX_CONDITION_DEPTH } from './condition-parser.js';
import { hideListedAccounts, roleRules } from './role-rules.js';
import { isTree } from './rule-tree.js';
import { storedTokenGatingRequest, tokenGatingRequest } from './token-gating-request.js';
import { tokenGatingRule } from './token-gating-rule.js';

const account = `0x${'11'.repeat(20)}`;
const native = { type: 'NATIVE', chainId: 1 };
const erc20 = { type: 'ERC20', chainId: 1, contractAddress: `0x${'ab'.repeat(20)}` };
const listing = (count: number) => ({ type: 'ALLOWLIST', accounts: Array<string>(count).fill(account) });

const parse = (...rules: unknown[]) => tokenGatingRequest.safeParse({ account, rules });
const issuesOf = (...rules: unknown[]) => toInputIssues(parse(...rules).error?.issues ?? []);
const pathsOf = (...rules: unknown[]) => issuesOf(...rules).map(({ path }) => path);
const atLeast = (count: unknown, ...of: unknown[]) => ({ atLeast: { count, of } });
const nested = (levels: number, kind: 'not' | 'allOf'): object => {
  let condition: object = native;
  for (let level = 1; level < levels; level += 1)
    condition = kind === 'not' ? { not: condition } : { allOf: [condition] };
  return condition;
};

const rule = (fields: object, roleId: string) => ({
  kind: 'rule',
  rule: tokenGatingRule.parse({ ...fields, roleId }),
});

describe('trees of a request', () => {
  it('tokenGatingRequest: parses trees beside rules, with the role of the tree in each of its rules', () => {
    const { data, error } = parse(
      { ...native, roleId: 'plain' },
      { roleId: 'tree', anyOf: [erc20, { not: native }, atLeast(2, native, erc20, { allOf: [native] })] },
      { roleId: '', not: erc20 },
    );
    expect(error).toBeUndefined();
    expect(data?.rules.map(isTree)).toEqual([false, true, true]);
    const [one, two] = [rule(native, 'tree'), rule(erc20, 'tree')];
    expect(data?.rules.slice(1)).toEqual([
      {
        roleId: 'tree',
        condition: {
          kind: 'anyOf',
          of: [
            two,
            { kind: 'not', of: one },
            { kind: 'atLeast', count: 2, of: [one, two, { kind: 'allOf', of: [one] }] },
          ],
        },
      },
      { roleId: '001', condition: { kind: 'not', of: rule(erc20, '001') } },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['two operators', { allOf: [native], not: native }, 'rules.0'],
    ['fields of a rule beside an operator', { ...native, allOf: [native] }, 'rules.0.type'],
    ['an unknown field', { roleId: 'r', allOf: [native], note: 'x' }, 'rules.0.note'],
    ['a role within', { allOf: [native, { ...native, roleId: 'r' }] }, 'rules.0.allOf.1.roleId'],
    ['a role of a tree within', { allOf: [{ roleId: 'r', not: native }] }, 'rules.0.allOf.0.roleId'],
    ['a role that is a number', { roleId: 7, not: native }, 'rules.0.roleId'],
    ['a role that is too long', { roleId: 'r'.repeat(257), not: native }, 'rules.0.roleId'],
    ['no conditions', { allOf: [] }, 'rules.0.allOf'],
    ['no conditions in atLeast', atLeast(1), 'rules.0.atLeast.of'],
    ['a list for not', { not: [native] }, 'rules.0.not'],
    ['null for a list, which is no list', { anyOf: null }, 'rules.0.type'],
    ['null for a condition', { anyOf: [null] }, 'rules.0.anyOf.0'],
    ['null for the list of atLeast', { atLeast: { count: 1, of: null } }, 'rules.0.atLeast.of'],
    ['an unknown field that is null', { note: null, not: native }, 'rules.0.note'],
    ['an unknown field of a rule that is null', { ...native, note: null }, 'rules.0.note'],
    ['an object for a list', { anyOf: native }, 'rules.0.anyOf'],
    ['text for a condition', { anyOf: ['NATIVE'] }, 'rules.0.anyOf.0'],
    ['a list for atLeast', { atLeast: [native] }, 'rules.0.atLeast'],
    ['an unknown field of atLeast', { atLeast: { count: 1, of: [native], at: 1 } }, 'rules.0.atLeast.at'],
    ['no count', { atLeast: { of: [native] } }, 'rules.0.atLeast.count'],
    ['the count 0', atLeast(0, native), 'rules.0.atLeast.count'],
    ['the count -1', atLeast(-1, native), 'rules.0.atLeast.count'],
    ['the count 1.5', atLeast(1.5, native, native), 'rules.0.atLeast.count'],
    ['the count as text', atLeast('1', native), 'rules.0.atLeast.count'],
    ['a count above the list', atLeast(3, native, native), 'rules.0.atLeast.count'],
    ['a huge count', atLeast(2 ** 53, native), 'rules.0.atLeast.count'],
    [
      'a bad rule within',
      { anyOf: [native, { not: { ...erc20, minToken: 'x' } }] },
      'rules.0.anyOf.1.not.minToken',
    ],
    ['an unknown field of a rule within', { not: { ...native, colour: 1 } }, 'rules.0.not.colour'],
    ['an unknown operator within', { not: { ...native, oneOf: [native] } }, 'rules.0.not.oneOf'],
  ])('tokenGatingRequest: refuses %s by the path of the field', (_, entry, path) => {
    expect(pathsOf(entry)).toEqual([path]);
  });

  it.each<[string, object, object]>([
    ['a composition beside another', { allOf: [native], anyOf: null, not: '' }, { allOf: [native] }],
    ['compositions of a rule', { ...native, not: null, atLeast: null }, native],
    ['fields of a rule beside a composition', { type: null, name: '', allOf: [native] }, { allOf: [native] }],
    [
      'the role of a composition within',
      { anyOf: [{ roleId: null, not: native }] },
      { anyOf: [{ not: native }] },
    ],
    ['the role of a rule within', { not: { ...native, roleId: null } }, { not: native }],
    ['compositions of a rule within', { not: { ...native, anyOf: null } }, { not: native }],
  ])('tokenGatingRequest: takes null and empty text for absent: %s', (_, entry, plain) => {
    const { data, error } = parse(entry);
    expect(error).toBeUndefined();
    expect(data).toEqual(parse(plain).data);
    expect(storedTokenGatingRequest.parse({ account, rules: [entry] })).toEqual(data);
    // Nulls are not counted as rules.
    expect(issuesOf(...Array<object>(500).fill(entry))).toEqual([]);
  });

  it('tokenGatingRequest: names every bad rule of every entry', () => {
    const bad = { ...erc20, minToken: 'x' };
    expect(pathsOf(native, { anyOf: [bad, native, bad] }, bad)).toEqual([
      'rules.1.anyOf.0.minToken',
      'rules.1.anyOf.2.minToken',
      'rules.2.minToken',
    ]);
  });

  it('tokenGatingRequest: takes eight levels, and refuses ten thousand like nine', () => {
    for (const kind of ['not', 'allOf'] as const) {
      expect(issuesOf(nested(MAX_CONDITION_DEPTH, kind))).toEqual([]);
      for (const levels of [MAX_CONDITION_DEPTH + 1, 10_000])
        expect(issuesOf(nested(levels, kind))).toEqual([
          {
            path: `rules.0${(kind === 'not' ? '.not' : '.allOf.0').repeat(MAX_CONDITION_DEPTH)}`,
            message: `is nested deeper than ${MAX_CONDITION_DEPTH} levels`,
          },
        ]);
    }
  });

  it('tokenGatingRequest: counts the rules of all entries, those of trees included', () => {
    const tooMany = [{ path: 'rules', message: 'must hold at most 500 rules, those of trees included' }];
    const all = (count: number) => ({ allOf: Array<object>(count).fill(native) });
    expect(issuesOf(all(500))).toEqual([]);
    expect(issuesOf(all(499), native)).toEqual([]);
    expect(issuesOf(all(499), native, native)).toEqual(tooMany);
    expect(issuesOf(all(250), atLeast(1, ...all(251).allOf))).toEqual(tooMany);
    expect(issuesOf({ not: { anyOf: [all(250), { not: all(251) }] } })).toEqual(tooMany);
    // Lists of nothing, and operators that exclude each other, count too: each is an issue.
    expect(issuesOf({ allOf: Array<object>(100_000).fill({ anyOf: [] }) })).toEqual(tooMany);
    expect(issuesOf({ allOf: all(300).allOf, anyOf: all(300).allOf })).toEqual(tooMany);
  });

  it('tokenGatingRequest: counts the listed accounts of trees', () => {
    const lists = (count: number) => Array.from({ length: count }, () => listing(1_000));
    expect(issuesOf({ anyOf: lists(10) })).toEqual([]);
    expect(issuesOf({ anyOf: [{ not: listing(1) }, atLeast(1, ...lists(5))] }, ...lists(5))).toEqual([
      { path: 'rules', message: 'list 10001 accounts; at most 10000 fit one request' },
    ]);
  });

  it('tokenGatingRequest: parses every tree as zod alone does, and throws for none', () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown>(native, erc20, [native]));
    const name = fc.constantFrom(
      'allOf',
      'anyOf',
      'not',
      'atLeast',
      'count',
      'of',
      'roleId',
      'type',
      '__proto__',
    );
    const { condition } = fc.letrec<{ condition: unknown }>((tie) => ({
      condition: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(native, erc20),
        fc.record({ allOf: fc.array(tie('condition'), { maxLength: 3 }) }),
        fc.record({ not: tie('condition') }),
        fc.record({
          atLeast: fc.record({ count: fc.nat(3), of: fc.array(tie('condition'), { maxLength: 3 }) }),
        }),
        fc.dictionary(name, fc.oneof(value, tie('condition')), { maxKeys: 3 }),
      ),
    }));
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 3 }), (rules) => {
        const describe = ({ success, data, error }: z.ZodSafeParseResult<unknown>) =>
          success ? { data } : { issues: error.issues };
        const short = tokenGatingRequest.safeParse({ account, rules });
        const long = tokenGatingRequest.safeParse({ account, rules }, { jitless: true });
        expect(describe(short)).toEqual(describe(long));
        outcomes.add(short.success);
        // What is accepted is stored, and read again later.
        if (short.success) expect(storedTokenGatingRequest.parse({ account, rules })).toEqual(short.data);
      }),
      { numRuns: 2_000 },
    );
    expect(outcomes.size).toBe(2);
  });

  it('tokenGatingRequest: takes the shorter way for valid trees', () => {
    let runs = 0;
    const counted = z.custom(() => (runs += 1) > 0);
    const schema = acceptValidInput(z.strictObject({ ...tokenGatingRequest.shape, counted }));
    schema.parse({ account, rules: [native, { anyOf: [native, atLeast(1, erc20)] }], counted: 1 });
    expect(runs).toBe(1);
  });
});

describe('atLeast of a community', () => {
  it('roleRules: parses atLeast within the limits of a community', () => {
    const { data } = roleRules.safeParse([{ roleId: 'r', ...atLeast(2, native, { not: erc20 }) }]);
    expect(data).toEqual([
      {
        roleId: 'r',
        condition: {
          kind: 'atLeast',
          count: 2,
          of: [rule(native, 'r'), { kind: 'not', of: rule(erc20, 'r') }],
        },
      },
    ]);
    const many = Array<object>(51).fill(native);
    const { error } = roleRules.safeParse([{ roleId: 'r', ...atLeast(1, ...many) }]);
    expect(toInputIssues(error?.issues ?? [])).toMatchObject([{ path: '0.atLeast.of' }]);
  });

  it('hideListedAccounts: hides the accounts of lists within atLeast', () => {
    const shown = hideListedAccounts([
      { roleId: 'r', ...atLeast(1, { not: listing(3) }, atLeast(1, listing(2))) },
    ]);
    expect(JSON.stringify(shown)).not.toContain(account);
    expect(shown).toEqual([
      {
        roleId: 'r',
        atLeast: {
          count: 1,
          of: [
            { not: { type: 'ALLOWLIST', accountCount: 3 } },
            { atLeast: { count: 1, of: [{ type: 'ALLOWLIST', accountCount: 2 }] } },
          ],
        },
      },
    ]);
  });
});
