import { describe, expect, it } from '@jest/globals';
import { evmAddress, isSolanaChain, solanaAddress } from '@app/dto';
import { listWellKnownTokens, MAX_WELL_KNOWN_TOKENS } from './list-well-known-tokens.js';

const tokens = listWellKnownTokens();

describe('listWellKnownTokens', () => {
  it('listWellKnownTokens: names valid addresses, each once, with a symbol', () => {
    for (const { chainId, contractAddress, symbol } of tokens) {
      const schema = isSolanaChain(chainId) ? solanaAddress : evmAddress;
      expect(schema.parse(contractAddress)).toBe(contractAddress);
      expect(symbol).toMatch(/^\S{1,20}$/);
    }
    const keys = tokens.map(({ chainId, contractAddress }) => `${chainId} ${contractAddress}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('listWellKnownTokens: has at most 20 tokens a chain, and those that everybody knows', () => {
    const counts = new Map<number, number>();
    for (const { chainId } of tokens) counts.set(chainId, (counts.get(chainId) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBe(MAX_WELL_KNOWN_TOKENS);
    expect(tokens).toEqual(
      expect.arrayContaining([
        { chainId: 1, contractAddress: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', symbol: 'USDC' },
        { chainId: 8453, contractAddress: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', symbol: 'USDC' },
        {
          chainId: 8_000_000_000_101,
          contractAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
          symbol: 'USDC',
        },
      ]),
    );
  });
});
