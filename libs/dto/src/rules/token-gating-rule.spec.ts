import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ruleFields } from './rule-fields.js';
import { storedTokenGatingRule, tokenGatingRule } from './token-gating-rule.js';

const contractAddress = `0x${'ab'.repeat(20)}`;
const erc721 = { type: 'ERC721', chainId: 1, contractAddress };
const RULES = {
  native: { type: 'NATIVE', chainId: 1 },
  erc20: { type: 'ERC20', chainId: 1, contractAddress },
  erc721,
  erc1155: { type: 'ERC1155', chainId: 1, contractAddress, tokenId: '1' },
  safe: { type: 'gnosis', chainId: 1, contractAddress },
  allowlist: { type: 'ALLOWLIST', accounts: [contractAddress, `eip155:1:${contractAddress}`] },
  solanaFt: {
    type: 'SOLANA_FT',
    chainId: 8_000_000_000_101,
    contractAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  },
};

describe('tokenGatingRule', () => {
  it('tokenGatingRule: applies the defaults of the contract', () => {
    expect(tokenGatingRule.parse({ type: 'NATIVE', chainId: 1 })).toEqual({
      type: 'NATIVE',
      chainId: 1,
      minToken: { units: 1n, scale: 0 },
      roleId: '001',
    });
  });

  it('tokenGatingRule: accepts labels for every type', () => {
    const labels = {
      collectionName: 'c',
      requiresMetadata: false,
      variables: {},
      id: '1',
      name: 'n',
      description: 'd',
      classifierGroup: 'g',
      groupId: 'g',
      tokenSymbol: 'S',
      version: 2,
    };
    for (const rule of Object.values(RULES))
      expect(tokenGatingRule.safeParse({ ...rule, ...labels })).toMatchObject({ success: true });
  });

  it('tokenGatingRule: treats empty text and null like an absent field, whatever the field', () => {
    const emptyFields = fc.dictionary(
      fc.constantFrom(...Object.keys(ruleFields.shape)),
      fc.constantFrom('', null),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(RULES)), emptyFields, (rule, empty) => {
        expect(tokenGatingRule.parse({ ...empty, ...rule })).toEqual(tokenGatingRule.parse(rule));
      }),
    );
  });

  it('tokenGatingRule: rejects an empty field that it does not know', () => {
    expect(tokenGatingRule.safeParse({ ...erc721, colour: null }).success).toBe(false);
  });

  it.each([
    ['eventId', { ...RULES.erc20, eventId: '1' }],
    ['eventId', { ...RULES.native, eventId: '1' }],
    ['eventId', { ...RULES.erc721, eventId: '1' }],
    ['tokenId', { ...RULES.erc20, tokenId: '1' }],
    ['tokenId', { ...RULES.native, tokenId: '1' }],
    ['tokenId', { ...RULES.solanaFt, tokenId: '1' }],
    ['tokenId', { ...RULES.safe, tokenId: '1' }],
    ['tokenId', { asset: `eip155:1/erc20:${contractAddress}`, tokenId: '1' }],
    ['contractAddress', { ...RULES.native, contractAddress }],
    ['contractAddress', { asset: 'eip155:1/slip44:60', contractAddress }],
    ['query', { ...erc721, query: 'true' }],
    ['query', { ...erc721, query: 'true', requiresMetadata: false }],
    ['variables', { ...erc721, variables: { a: 1 } }],
  ])('rejects %s where the type would ignore it, unless the rule is stored: %j', (field, rule) => {
    expect(tokenGatingRule.safeParse(rule).error?.issues).toMatchObject([{ path: [field] }]);
    const { [field]: _, ...rest } = rule as Record<string, unknown>;
    expect(storedTokenGatingRule.parse(rule)).toEqual(tokenGatingRule.parse(rest));
  });

  it('tokenGatingRule: keeps a query of rules that require metadata', () => {
    const condition = { requiresMetadata: true, query: 'level > $least', variables: { least: 3 } };
    const kept = { query: condition.query, variables: condition.variables };
    for (const rule of [erc721, RULES.erc1155, { asset: `eip155:1/erc721:${contractAddress}/7` }]) {
      expect(tokenGatingRule.parse({ ...rule, ...condition })).toMatchObject(kept);
      expect(storedTokenGatingRule.parse({ ...rule, ...condition })).toMatchObject(kept);
    }
  });

  it.each([
    ['requiresMetadata', { ...RULES.erc20, requiresMetadata: true, query: 'true' }],
    ['query', { ...erc721, requiresMetadata: true }],
    ['query', { ...erc721, requiresMetadata: true, query: '(' }],
  ])('rejects %s that could not be checked, also in stored rules: %j', (field, rule) => {
    for (const schema of [tokenGatingRule, storedTokenGatingRule])
      expect(schema.safeParse(rule).error?.issues).toMatchObject([{ path: [field] }]);
  });

  it.each([`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'])(
    'tokenGatingRule: accepts the address %s for the native coin',
    (address) => {
      const parsed = tokenGatingRule.parse({ ...RULES.native, contractAddress: address });
      expect(parsed).toEqual(tokenGatingRule.parse(RULES.native));
    },
  );

  it.each([
    [`eip155:1/erc721:${contractAddress}/771769`, { ...erc721, tokenId: '771769' }],
    [`eip155:1/erc721:${contractAddress}`, erc721],
    [`eip155:1/erc20:${contractAddress}`, { ...erc721, type: 'ERC20' }],
    [`eip155:137/erc1155:${contractAddress}/7`, { ...erc721, type: 'ERC1155', chainId: 137, tokenId: '7' }],
    ['eip155:1/slip44:60', { type: 'NATIVE', chainId: 1 }],
    [`eip155:1/safe:${contractAddress}`, { type: 'gnosis', chainId: 1, contractAddress }],
    [`evm:1/gnosis:${contractAddress}`, { scheme: 'gnosis', chainId: 1, contractAddress }],
  ])('tokenGatingRule: converts the CAIP-19 asset %s to rule fields', (asset, fields) => {
    expect(tokenGatingRule.parse({ asset })).toEqual(tokenGatingRule.parse(fields));
    expect(tokenGatingRule.parse({ ...fields, asset })).toEqual(tokenGatingRule.parse(fields));
  });

  it.each([
    ['chainId', { chainId: 5 }],
    ['type', { type: 'ERC20' }],
    ['contractAddress', { contractAddress: `0x${'cd'.repeat(20)}` }],
    ['tokenId', { tokenId: '8' }],
  ])('tokenGatingRule: rejects an asset that conflicts with %s', (name, fields) => {
    const result = tokenGatingRule.safeParse({ asset: `eip155:1/erc721:${contractAddress}/7`, ...fields });
    expect(result.error?.issues).toEqual([
      expect.objectContaining({ path: ['asset'], message: `does not agree with ${name}` }),
    ]);
  });

  it.each([
    'nonsense',
    'eip155:1',
    `eip155:0/erc20:${contractAddress}`,
    `eip155:1/erc777:${contractAddress}`,
    `eip155:1/constructor:${contractAddress}`,
    `eip155:1/erc20:${contractAddress}/1`,
    `eip155:1/erc721:${contractAddress}/x`,
    'cosmos:cosmoshub-3/slip44:118',
    `evm:1/erc721:${contractAddress}`,
  ])('tokenGatingRule: rejects the asset %s', (asset) => {
    expect(tokenGatingRule.safeParse({ asset }).error?.issues[0]?.path).toEqual(['asset']);
  });
});
