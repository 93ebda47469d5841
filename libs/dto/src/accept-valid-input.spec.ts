import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { acceptValidInput } from './accept-valid-input.js';
import { ruleFields } from './rules/rule-fields.js';
import { tokenGatingRequest } from './rules/token-gating-request.js';
import { storedTokenGatingRule, tokenGatingRule } from './rules/token-gating-rule.js';

/** What a schema says, with and without the shorter way. Issues are compared whole: code, path, message and all else. */
function parseBothWays(schema: z.ZodType, input: unknown) {
  const [short, long] = [schema.safeParse(input), schema.safeParse(input, { jitless: true })];
  return { short: describeResult(short), long: describeResult(long) };
}

const describeResult = ({ success, data, error }: z.ZodSafeParseResult<unknown>) =>
  success ? { data } : { issues: error.issues };

const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
/** The same address with the checksum of EIP-1191 for chain 30. */
const OF_CHAIN_30 = '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD';
const ASSET = `eip155:1/erc721:${CHECKSUMMED}/7`;

const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const erc721 = { type: 'ERC721', chainId: 1, contractAddress: CHECKSUMMED };
const solana = { chainId: 8_000_000_000_101, minToken: '3' };
/** A valid rule of each type at least. */
const RULES: readonly object[] = [
  { type: 'NATIVE', chainId: 31_337, minToken: '0.5', roleId: 'a' },
  { type: 'ERC20', chainId: 31_337, contractAddress: CHECKSUMMED, minToken: '100', maxToken: '1000' },
  { ...erc721, tokenId: '42' },
  { ...erc721, requiresMetadata: true, query: 'level > $least', variables: { least: 3 } },
  {
    type: 'ERC1155',
    chainId: 1,
    contractAddress: CHECKSUMMED.toLowerCase(),
    tokenId: '1,5-7',
    minToken: '5',
  },
  { type: 'SOLANA_FT', ...solana, contractAddress: SOLANA },
  { type: 'SOLANA_NFT', ...solana, contractAddress: 'collection', tokenId: SOLANA },
  { type: 'gnosis', chainId: 30, contractAddress: OF_CHAIN_30 },
  { type: 'staking', chainId: 1, contractAddress: CHECKSUMMED, collectionName: 'erc900' },
  { type: 'OPEN_SEA', collectionName: 'cool-cats' },
  { type: 'POAP', eventId: '7' },
  { type: 'ALLOWLIST', accounts: [CHECKSUMMED, `eip155:30:${OF_CHAIN_30}`, SOLANA] },
  {
    ...{ type: 'CONTRACT_READ', chainId: 30, contractAddress: OF_CHAIN_30, arguments: ['$account', '7'] },
    ...{ function: 'function f(address, uint8) view returns (int256 a)', minToken: '-1.5', decimals: 2 },
  },
  { asset: ASSET, roleId: 'b' },
];

/** Values that some field takes, almost takes, or must never take. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      '',
      ' ',
      '0',
      '1',
      '-1',
      '1.5',
      '1.50',
      '1e3',
      '9'.repeat(79),
      '1,2,5-9',
      '9-1',
      '\ud83d\ude00',
      'a'.repeat(257),
    ],
    ...[
      CHECKSUMMED,
      CHECKSUMMED.toLowerCase(),
      OF_CHAIN_30,
      `${CHECKSUMMED.slice(0, -1)}D`,
      ASSET,
      'gnosis',
      'STAKING',
    ],
    ...[
      'ERC20',
      'ERC721',
      'POAP',
      'POAPs',
      'collection',
      'https://example.com/ids',
      'true',
      'level > 1',
      '$now()',
      '$account',
      'function f() view returns (bool)',
    ],
    ...[0, 1, 30, 31_337, 8_000_000_000_101, -1, 1.5, NaN, Infinity, 2 ** 53, true, false, null, undefined],
    ...[[], ['$account'], {}, { a: 1 }, [1], { length: 2 }],
  ),
  fc.string({ maxLength: 12 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const fieldName = fc.oneof(
  fc.constantFrom(...Object.keys(ruleFields.shape)),
  fc.constantFrom('colour', 'toString', 'constructor', '__proto__', 'length', '0'),
);
/** A rule of some type, with fields that were added, replaced or removed. */
const rule = fc
  .tuple(
    fc.constantFrom(...RULES),
    fc.array(fc.tuple(fieldName, value), { maxLength: 3 }),
    fc.array(fieldName, { maxLength: 2 }),
  )
  .map(([base, changes, removed]) => {
    // JSON.parse makes __proto__ a property of its own, and so does fromEntries.
    const changed = Object.fromEntries([...Object.entries(base), ...changes]);
    return Object.fromEntries(Object.entries(changed).filter(([name]) => !removed.includes(name)));
  });
const anyRule = fc.oneof({ weight: 20, arbitrary: rule }, value);
const account = fc.oneof(
  fc.constantFrom(CHECKSUMMED, OF_CHAIN_30, `eip155:30:${OF_CHAIN_30}`, `eip155:1:${OF_CHAIN_30}`, 'user_1'),
  value,
);
const request = fc.record(
  {
    account,
    rules: fc.oneof(
      { weight: 9, arbitrary: fc.array(anyRule, { maxLength: 3 }) },
      { weight: 1, arbitrary: value },
    ),
    callbackUrl: fc.oneof(fc.constantFrom('https://example.com/a', 'http://x', 'ftp://x'), value),
    async: fc.oneof(fc.boolean(), value),
    more: value,
  },
  { requiredKeys: ['account', 'rules'] },
);
const MANY = { numRuns: 600 };

describe('acceptValidInput', () => {
  it.each([
    ['tokenGatingRule', tokenGatingRule],
    ['storedTokenGatingRule', storedTokenGatingRule],
  ] as const)('%s: parses every rule as zod alone does, and refuses it with the same issues', (_, schema) => {
    fc.assert(
      fc.property(anyRule, (input) => {
        const { short, long } = parseBothWays(schema, input);
        expect(short).toEqual(long);
      }),
      MANY,
    );
  });

  it('tokenGatingRequest: parses every request as zod alone does, and refuses it with the same issues', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: request }, value), (input) => {
        const { short, long } = parseBothWays(tokenGatingRequest, input);
        expect(short).toEqual(long);
      }),
      MANY,
    );
  });

  it('tokenGatingRequest: has the same bounds of its rules both ways', () => {
    for (const count of [0, 1, 500, 501]) {
      const input = { account: CHECKSUMMED, rules: Array.from({ length: count }, () => RULES[0]) };
      const { short, long } = parseBothWays(tokenGatingRequest, input);
      expect(short).toEqual(long);
    }
  });

  it('acceptValidInput: takes the shorter way for a valid rule of every type', () => {
    for (const input of RULES) {
      let runs = 0;
      const counted = z.custom(() => (runs += 1) > 0);
      // zod runs the whole schema again where the shorter way is undecided.
      const schema = acceptValidInput(z.strictObject({ ...tokenGatingRequest.shape, counted }));
      expect(schema.parse({ account: SOLANA, rules: [input], counted: 1 })).toHaveProperty('rules.0.type');
      expect(runs).toBe(1);
    }
  });

  it('acceptValidInput: leaves what it does not know to zod', () => {
    const schema = acceptValidInput(
      z.object({
        loose: z.looseObject({ a: z.string().trim().min(2) }),
        list: z.array(z.union([z.string(), z.int()])).min(2),
        url: z.url(),
        maybe: z.string().nullable().default('x').optional(),
      }),
    );
    const part = { loose: { a: ' ab ', b: 1 }, list: [1, 'a'], url: 'https://example.com' };
    expect(schema.parse(part)).toEqual({ ...part, loose: { a: 'ab', b: 1 }, maybe: 'x' });
    const inputs = [
      part,
      { ...part, maybe: null },
      { ...part, list: [1] },
      { ...part, loose: { a: ' a ' } },
      1,
    ];
    for (const input of inputs) {
      const { short, long } = parseBothWays(schema, input);
      expect(short).toEqual(long);
    }
  });

  it('acceptValidInput: leaves a whole schema to zod that it does not know, that contains itself, or that has symbols', () => {
    const name = Symbol('name');
    const tree: z.ZodType = z.object({
      value: z.string(),
      get next() {
        return tree.optional();
      },
    });
    const cases: readonly (readonly [z.ZodType, readonly unknown[]])[] = [
      [z.string().length(1), ['a', 'ab', 7]],
      [z.array(z.string()).length(2), [['a', 'b'], ['a']]],
      [
        z.object({ a: z.string() }).refine(({ a }) => a === '1', { when: () => true }),
        [{ a: '1' }, { a: '2' }],
      ],
      [z.string().nullable(), [null, 'a', 7]],
      [
        tree,
        [
          { value: 'a', next: { value: 'b' } },
          { value: 'a', next: { value: 7 } },
        ],
      ],
      [
        z.object({ [name]: z.string(), a: z.string() }),
        [{ a: '1' }, { a: '1', [name]: 2 }, { a: '1', [name]: 'x' }],
      ],
    ];
    for (const [schema, inputs] of cases) {
      const accepting = acceptValidInput(schema);
      for (const input of inputs) {
        const { short, long } = parseBothWays(accepting, input);
        expect(short).toEqual(long);
      }
    }
  });
});
