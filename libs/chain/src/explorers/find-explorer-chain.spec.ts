import { describe, expect, it } from '@jest/globals';
import * as viemChains from 'viem/chains';
import { findExplorerChain, findKnownChainName } from './find-explorer-chain.js';

describe('explorers', () => {
  it('findExplorerChain: knows the chain of the usual explorers, and none of an unknown host or of one for several chains', () => {
    expect(findExplorerChain('etherscan.io')).toBe(1);
    expect(findExplorerChain('www.etherscan.io')).toBe(1);
    expect(findExplorerChain('polygonscan.com')).toBe(137);
    expect(findExplorerChain('eth.blockscout.com')).toBe(1);
    expect(findExplorerChain('sepolia.etherscan.io')).toBe(11_155_111);
    expect(findExplorerChain('subnets.avax.network')).toBeUndefined();
    expect(findExplorerChain('etherscan.io.example')).toBeUndefined();
  });

  it('findExplorerChain: agrees with each explorer that viem lists, or says nothing', () => {
    for (const chain of Object.values(viemChains)) {
      if (!('blockExplorers' in chain) || !chain.blockExplorers) continue;
      const found = findExplorerChain(new URL(chain.blockExplorers.default.url).hostname);
      if (found !== undefined) expect(found).toBe(chain.id);
    }
  });

  it('findKnownChainName: names chains that viem lists', () => {
    expect(findKnownChainName(8453)).toBe('Base');
    expect(findKnownChainName(4)).toBeUndefined();
  });
});
