import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toBaseUnits } from './amount.js';
import { parseAssetId } from './asset-id.js';

const contract = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const mint = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
const cluster = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const maxUint256 = 2n ** 256n - 1n;

function parse(text: string) {
  const asset = parseAssetId(text);
  if (typeof asset === 'string') throw new Error(`${text} ${asset}`);
  return asset;
}

describe('parseAssetId', () => {
  it.each([
    ['eip155:1/slip44:60', { type: 'NATIVE', chainId: 1 }],
    [
      `eip155:137/erc20:${contract}`,
      { type: 'ERC20', chainId: 137, contractAddress: contract.toLowerCase() },
    ],
    [`eip155:1/erc721:${contract}`, { type: 'ERC721', contractAddress: contract.toLowerCase() }],
    [`solana:${cluster}/slip44:501`, { type: 'NATIVE', chainId: 8_000_000_000_101 }],
    [`solana:${cluster}/token:${mint}`, { type: 'SOLANA_FT', contractAddress: mint }],
  ])('parseAssetId: parses %s', (text, rule) => {
    expect(parse(text)).toMatchObject({ id: text, rule });
  });

  it('parseAssetId: writes CAIP-19 for the dialect', () => {
    expect(parse(`evm:1/erc721:${contract}/7`)).toEqual(parse(`eip155:1/erc721:${contract}/7`));
  });

  it('parseAssetId: keeps token ids of up to 77 digits exact', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, maxUint256), fc.constantFrom('erc721', 'erc1155'), (id, standard) => {
        const { rule } = parse(`eip155:1/${standard}:${contract}/${id}`);
        expect(rule).toMatchObject({ tokenId: { ranges: [{ from: id, to: id }], count: 1 } });
      }),
    );
  });

  it('parseAssetId: requires one base unit, whatever the decimals', () => {
    const { minToken } = parse(`eip155:1/erc20:${contract}`).rule;
    for (const decimals of [0, 6, 18, 255]) expect(toBaseUnits(minToken, decimals, 'up')).toBe(1n);
  });

  it.each([
    ['', 'must be a CAIP-19'],
    [contract, 'must be a CAIP-19'],
    ['eip155:x/slip44:60', 'must name its chain by number'],
    ['eip155:1/erc20:0x12', 'contractAddress must be an address'],
    [`eip155:1/erc20:${contract.replace('5aA', '5AA')}`, 'wrong checksum'],
    [`eip155:1/erc20:${contract}/1`, 'must not name a token id'],
    [`eip155:1/erc1155:${contract}`, 'tokenId is required'],
    [`eip155:1/erc721:${contract}/${maxUint256 + 1n}`, 'above 2^256'],
    [`eip155:1/erc721:${contract}/0x7`, 'token id of digits'],
    [`solana:${cluster}/token:${contract}`, 'must be a Solana address'],
    [`solana:${cluster}/nft:${contract}`, 'must name a mint'],
    [`solana:${'1'.repeat(32)}/token:${mint}`, 'must name a Solana cluster'],
    ['cosmos:hub/slip44:118', 'cosmos, which is not supported'],
  ])('parseAssetId: rejects %s', (text, message) => {
    expect(parseAssetId(text)).toContain(message);
  });

  it('parseAssetId: never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(['string', 'object']).toContain(typeof parseAssetId(text));
      }),
    );
  });
});
