import { describe, expect, it } from '@jest/globals';
import { toInputIssues } from '@app/common';
import fc from 'fast-check';
import { type Condition, collectRules, collectRulesWithPaths } from './condition.js';
import { MAX_CONDITION_DEPTH } from './condition-parser.js';
import { roleRules, type RawRoleRule, storedRoleRules } from './role-rules.js';
import { tokenGatingRule } from './token-gating-rule.js';

const native = { type: 'NATIVE', chainId: 1 };
const erc721 = { type: 'ERC721', chainId: 1, contractAddress: `0x${'ab'.repeat(20)}` };

const issuesOf = (rules: unknown) => toInputIssues(roleRules.safeParse(rules).error?.issues ?? []);
const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const nested = (levels: number): object => (levels === 1 ? native : { not: nested(levels - 1) });

/** Conditions before parsing. */
const raw = fc.letrec<{ condition: object; leaf: object }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ type: fc.constant('NATIVE'), chainId: fc.integer({ min: 1, max: 100 }) }),
    fc.record({
      type: fc.constant('ERC721'),
      chainId: fc.integer({ min: 1, max: 9 }),
      contractAddress: fc.constant(erc721.contractAddress),
      tokenId: fc.integer({ min: 0, max: 99 }).map(String),
    }),
  ),
  condition: fc.oneof(
    { maxDepth: MAX_CONDITION_DEPTH - 2, depthSize: 'small' },
    tie('leaf'),
    fc.record({ not: tie('condition') }),
    fc.record({ allOf: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ anyOf: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }) }),
  ),
}));
const rawRules = fc.array(
  fc.tuple(fc.constantFrom('one', 'two'), raw.condition).map(([roleId, rest]) => ({ roleId, ...rest })),
  { maxLength: 5 },
);

/** A minimal parser as a reference. */
function expected(condition: Record<string, unknown>, roleId: string): Condition {
  for (const kind of ['allOf', 'anyOf'] as const)
    if (kind in condition)
      return { kind, of: (condition[kind] as RawRoleRule[]).map((one) => expected(one, roleId)) };
  if ('not' in condition) return { kind: 'not', of: expected(condition['not'] as RawRoleRule, roleId) };
  return { kind: 'rule', rule: tokenGatingRule.parse({ ...condition, roleId }) };
}

describe('roleRules', () => {
  it('roleRules: parses rules of check-roles, and compositions of them', () => {
    const rules = roleRules.parse([
      { roleId: 'whale', ...native, minToken: '5' },
      { roleId: 'friend', anyOf: [erc721, { allOf: [native, { not: erc721 }] }] },
    ]);
    expect(rules).toMatchObject([
      { roleId: 'whale', condition: { kind: 'rule', rule: { type: 'NATIVE', roleId: 'whale' } } },
      {
        roleId: 'friend',
        condition: {
          kind: 'anyOf',
          of: [{ kind: 'rule' }, { kind: 'allOf', of: [{ kind: 'rule' }, { kind: 'not' }] }],
        },
      },
    ]);
    const collected = collectRulesWithPaths(rules).map(({ path, rule }) => [path, rule.type, rule.roleId]);
    expect(collected).toEqual([
      ['0', 'NATIVE', 'whale'],
      ['1.anyOf.0', 'ERC721', 'friend'],
      ['1.anyOf.1.allOf.0', 'NATIVE', 'friend'],
      ['1.anyOf.1.allOf.1.not', 'ERC721', 'friend'],
    ]);
    expect(collectRules(rules)).toHaveLength(4);
  });

  it.each([
    [[native], '0.roleId'],
    [[{ roleId: 'a b', ...native }], '0.roleId'],
    [['rule'], '0'],
    [[{ roleId: 'r' }], '0.type'],
    [[{ roleId: 'r', ...native, allOf: [native] }], '0.type'],
    [[{ roleId: 'r', allOf: [native], not: native }], '0'],
    [[{ roleId: 'r', allOf: [] }], '0.allOf'],
    [[{ roleId: '..', ...native }], '0.roleId'],
    [[{ roleId: 'r', not: [native] }], '0.not'],
    [[{ roleId: 'r', anyOf: [native, { ...erc721, contractAddress: '0x1' }] }], '0.anyOf.1.contractAddress'],
    [[{ roleId: 'r', allOf: [{ ...native, roleId: 'other' }] }], '0.allOf.0.roleId'],
    [[{ roleId: 'r', allOf: [{ ...native, unheardOf: 1 }] }], '0.allOf.0.unheardOf'],
    [[{ roleId: 'r', ...native, all_of: [] }], '0.all_of'],
  ])('roleRules: rejects %j at %s', (rules, path) => {
    expect(issuesOf(rules).map((issue) => issue.path)).toContain(path);
  });

  it('roleRules: rejects fields that a type ignores, unless the rules are stored', () => {
    const rules = [{ roleId: 'r', allOf: [{ ...native, tokenId: '1', roleId: null }] }];
    expect(issuesOf(rules)).toMatchObject([{ path: '0.allOf.0.tokenId' }]);
    expect(storedRoleRules.parse(rules)).toEqual(roleRules.parse([{ roleId: 'r', allOf: [native] }]));
  });

  it('roleRules: allows fifty conditions per list', () => {
    const allOf = Array<object>(51).fill(native);
    expect(issuesOf([{ roleId: 'r', allOf }])).toMatchObject([{ path: '0.allOf' }]);
    expect(issuesOf([{ roleId: 'r', allOf: allOf.slice(1) }])).toEqual([]);
  });

  it('roleRules: allows eight levels of nesting', () => {
    expect(issuesOf([{ roleId: 'r', ...nested(MAX_CONDITION_DEPTH) }])).toEqual([]);
    const path = ['0', ...Array<string>(MAX_CONDITION_DEPTH).fill('not')].join('.');
    expect(issuesOf([{ roleId: 'r', ...nested(MAX_CONDITION_DEPTH + 1) }])).toMatchObject([{ path }]);
  });

  it('roleRules: allows five hundred rules in all, however they are nested', () => {
    const fifty = Array<object>(50).fill(native);
    const ten = Array.from({ length: 10 }, () => ({ roleId: 'r', anyOf: fifty }));
    expect(issuesOf(ten)).toEqual([]);
    expect(issuesOf([...ten, { roleId: 'r', ...native }])).toEqual([
      { path: '', message: 'must hold at most 500 rules in all' },
    ]);
  });

  it('roleRules: says of the smallest lists of nothing that there are too many, and of nothing else', () => {
    const fifty = (part: unknown) => ({ allOf: Array<unknown>(50).fill(part) });
    const rules = Array<object>(140).fill({ roleId: 'r', ...fifty(fifty([])) });
    expect(roleRules.safeParse(rules).error?.issues).toMatchObject([
      { path: [], message: 'must hold at most 500 rules in all' },
    ]);
  });

  it.each([
    ['in an entry', {}, '0.vaults'],
    ['below allOf', { allOf: [native, {}] }, '0.allOf.1.vaults'],
    ['below anyOf and not', { anyOf: [{ not: {} }] }, '0.anyOf.0.not.vaults'],
    ['below atLeast', { atLeast: { count: 1, of: [native, {}] } }, '0.atLeast.of.1.vaults'],
    [
      'below atLeast in allOf',
      { allOf: [{ atLeast: { count: 1, of: [{}] } }] },
      '0.allOf.0.atLeast.of.0.vaults',
    ],
  ])(
    'roleRules: refuses vaults %s, submitted and stored, and takes the rule without them',
    (_, shape, path) => {
      const fill = (rule: object) =>
        JSON.parse(JSON.stringify([{ roleId: 'r', ...shape }]), (_name, value: unknown) =>
          isEmptyObject(value) ? rule : value,
        ) as [object];
      const delegating = { ...erc721, delegations: 'delegate.xyz' };
      const named = { ...delegating, vaults: [`0x${'cd'.repeat(20)}`] };
      const rulesOf = (rule: object) => (path === '0.vaults' ? [{ roleId: 'r', ...rule }] : fill(rule));
      expect(issuesOf(rulesOf(named))).toMatchObject([{ path }]);
      expect(storedRoleRules.safeParse(rulesOf(named)).success).toBe(false);
      expect(issuesOf(rulesOf(delegating))).toEqual([]);
    },
  );

  it('roleRules: takes null and empty text for absent, in compositions and in rules', () => {
    const absent = { type: null, allOf: '', not: null, atLeast: null, minToken: null };
    expect(roleRules.parse([{ roleId: 'r', ...absent, ...native }])).toEqual(
      roleRules.parse([{ roleId: 'r', ...native }]),
    );
    const tree = { ...absent, anyOf: [{ ...absent, roleId: null, not: native }, native] };
    for (const schema of [roleRules, storedRoleRules])
      expect(schema.parse([{ roleId: 'r', ...tree }])).toEqual(
        schema.parse([{ roleId: 'r', anyOf: [{ not: native }, native] }]),
      );
    expect(issuesOf([{ roleId: 'r', note: null, not: native }])).toMatchObject([{ path: '0.note' }]);
  });

  it('roleRules: parses any valid rules', () => {
    fc.assert(
      fc.property(rawRules, (rules) => {
        expect(roleRules.parse(rules)).toEqual(
          rules.map(({ roleId, ...condition }) => ({ roleId, condition: expected(condition, roleId) })),
        );
      }),
    );
  });

  it('roleRules: never throws', () => {
    const anyJson = fc.jsonValue({ maxDepth: 4 });
    const name = fc.constantFrom('roleId', 'allOf', 'anyOf', 'not', 'type', 'chainId', 'x');
    const almostValid = fc.array(fc.dictionary(name, fc.oneof(anyJson, raw.condition)), { maxLength: 3 });
    fc.assert(
      fc.property(fc.oneof(anyJson, almostValid), (rules) => {
        expect(() => roleRules.safeParse(rules)).not.toThrow();
      }),
    );
  });
});
