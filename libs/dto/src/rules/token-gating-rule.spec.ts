import { describe, expect, it } from '@jest/globals';
import { tokenGatingRule } from './token-gating-rule.js';

const contractAddress = `0x${'ab'.repeat(20)}`;
const erc721 = { type: 'ERC721', chainId: 1, contractAddress };

describe('tokenGatingRule', () => {
  it('applies the defaults of the contract', () => {
    expect(tokenGatingRule.parse({ type: 'NATIVE', chainId: 1 })).toEqual({
      type: 'NATIVE',
      chainId: 1,
      minToken: { units: 1n, scale: 0 },
      roleId: '001',
    });
  });

  it('accepts every field of the contract for every type', () => {
    const otherFields = {
      collectionName: 'c',
      eventId: '1',
      query: '',
      variables: {},
      requiresMetadata: false,
      id: '1',
      name: 'n',
      description: 'd',
      classifierGroup: 'g',
      groupId: 'g',
      tokenSymbol: 'S',
      version: 2,
    };
    for (const type of ['NATIVE', 'ERC20', 'ERC721', 'ERC1155']) {
      expect(tokenGatingRule.safeParse({ ...erc721, type, tokenId: '1', ...otherFields }).success).toBe(true);
    }
  });

  it.each([
    [`eip155:1/erc721:${contractAddress}/771769`, { ...erc721, tokenId: '771769' }],
    [`eip155:1/erc721:${contractAddress}`, erc721],
    [`eip155:1/erc20:${contractAddress}`, { ...erc721, type: 'ERC20' }],
    [`eip155:137/erc1155:${contractAddress}/7`, { ...erc721, type: 'ERC1155', chainId: 137, tokenId: '7' }],
    ['eip155:1/slip44:60', { type: 'NATIVE', chainId: 1 }],
  ])('converts the CAIP-19 asset %s to rule fields', (asset, fields) => {
    expect(tokenGatingRule.parse({ asset })).toEqual(tokenGatingRule.parse(fields));
    expect(tokenGatingRule.parse({ ...fields, asset })).toEqual(tokenGatingRule.parse(fields));
  });

  it.each([
    ['chainId', { chainId: 5 }],
    ['type', { type: 'ERC20' }],
    ['contractAddress', { contractAddress: `0x${'cd'.repeat(20)}` }],
    ['tokenId', { tokenId: '8' }],
  ])('rejects an asset that conflicts with %s', (name, fields) => {
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
    'evm:1/gnosis:0x12',
  ])('rejects the asset %s', (asset) => {
    expect(tokenGatingRule.safeParse({ asset }).error?.issues[0]?.path).toEqual(['asset']);
  });
});
