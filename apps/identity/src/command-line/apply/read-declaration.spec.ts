import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { CommandLineError } from '../command-line.errors.js';
import { parseDeclaration } from './read-declaration.js';

const parse = (text: string) => parseDeclaration('a.yaml', text);

function problemOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof CommandLineError) return error.message;
    throw error;
  }
  return '';
}

const CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

it('parseDeclaration: takes a file with every kind of object, and keeps rules as they are written', () => {
  const rule = { roleId: 'whale', type: 'ERC20', chainId: 1, contractAddress: CONTRACT, minToken: '100' };
  const { applications, communities } = parse(
    stringify({
      applications: [
        {
          name: 'Shop',
          scopes: ['token-gating'],
          secretFile: 'shop.env',
          keys: [{ name: 'Server', scopes: ['token-gating'] }],
          callbackEndpoints: [{ url: 'https://shop.example/events', events: ['role.granted'] }],
          publishedRules: [{ name: 'holders', rule }],
        },
      ],
      communities: [
        {
          name: 'Apes',
          applications: ['Shop'],
          roles: [{ id: 'whale', name: 'Whale' }],
          rules: [rule, { roleId: 'whale', not: { type: 'NATIVE', chainId: 1 } }],
        },
      ],
    }),
  );
  expect(applications[0]).toMatchObject({ name: 'Shop', approve: false });
  expect(applications[0]?.publishedRules).toEqual([{ name: 'holders', rule }]);
  expect(communities[0]?.rules).toEqual([rule, { roleId: 'whale', not: { type: 'NATIVE', chainId: 1 } }]);
});

it('parseDeclaration: takes an empty file, and an address without quotes', () => {
  expect(parse('')).toEqual({ applications: [], communities: [] });
  const rule = `{ roleId: a, type: ERC721, chainId: 1, contractAddress: ${CONTRACT} }`;
  expect(parse(`communities:\n- name: Apes\n  rules: [${rule}]`).communities[0]?.rules).toMatchObject([
    { contractAddress: CONTRACT },
  ]);
});

it.each([
  ['applications:\n- name: Shop\n  colour: red', 'a.yaml:3: applications[0].colour: is not a known field'],
  ['applications:\n- type: public', 'a.yaml:2: applications[0].name: is required'],
  [
    'applications:\n- name: A\n\n- name: A',
    'a.yaml:4: applications[1]: "A" stands in the list already, at [0]',
  ],
  [
    'communities:\n- name: Apes\n  applications:\n  - Shop',
    'a.yaml:4: communities[0].applications[0]: "Shop" is not among the applications of this file',
  ],
  [
    'communities:\n- name: Apes\n  roles: []\n  rules:\n  - { roleId: whale, type: NATIVE, chainId: 1 }',
    'a.yaml:5: communities[0].rules[0].roleId: "whale" is not among the roles of this community',
  ],
  [
    'communities:\n- name: Apes\n  rules:\n  - roleId: a\n    type: NATIVE\n    chain: 1',
    'a.yaml:6: communities[0].rules[0].chain: is not a known field',
  ],
  [
    'communities:\n- name: Apes\n  rules:\n  - roleId: a\n    type: ERC721\n    chainId: 1\n    contractAddress: 12',
    'put it in quotes',
  ],
  ['applications:\n- name: Shop\n  name: Store', 'a.yaml:3: Map keys must be unique'],
  ['applications: [', 'a.yaml:1: '],
  ['applications:\n- name: Shop\n  scopes: [operator]', 'a.yaml:3: applications[0].scopes[0]: '],
  ['communities:\n- name: Apes\n  __proto__: { a: 1 }', '__proto__: is not a known field'],
])('parseDeclaration: %j is refused as %j', (text, problem) => {
  expect(problemOf(text)).toContain(problem);
});

it('parseDeclaration: names everything that is wrong at once', () => {
  const text = 'applications:\n- name: ""\n- name: Shop\n  implicit: 1\ncommunity: []';
  expect(problemOf(text).split('\n')).toHaveLength(3);
});

it('parseDeclaration: refuses whatever else it gets with an error of its own', () => {
  const names = fc.constantFrom('applications', 'communities', 'name', 'rules', 'keys', '__proto__', 'a.b');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(names, tie('tree'), { maxKeys: 3 }),
    ),
  }));
  const text = fc.oneof(
    fc.string(),
    tree.map((value) => stringify(value)),
  );
  fc.assert(
    fc.property(text, (yaml) => {
      expect(typeof problemOf(yaml)).toBe('string');
    }),
  );
});
