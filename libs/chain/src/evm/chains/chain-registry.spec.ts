import { describe, expect, it } from '@jest/globals';
import * as viemChains from 'viem/chains';
import { createChainRegistry, type ChainRegistryOptions } from './chain-registry.js';

const registry = (options: Partial<ChainRegistryOptions> = {}) =>
  createChainRegistry({ custom: [], rpcUrls: new Map(), publicRpc: false, ...options });

describe('createChainRegistry', () => {
  it('createChainRegistry: contains every chain that viem lists', () => {
    const { find } = registry({ publicRpc: true });
    for (const chain of Object.values(viemChains)) {
      if (!('id' in chain)) continue;
      const sameId = Object.values(viemChains).filter((other) => 'id' in other && other.id === chain.id);
      const found = find(chain.id);
      expect(found?.id).toBe(chain.id);
      if (sameId.length > 1) continue;
      expect(found).toMatchObject({ name: chain.name, nativeDecimals: chain.nativeCurrency.decimals });
      const secure = chain.rpcUrls.default.http.filter((url: string) => url.startsWith('https:'));
      expect(found?.rpcUrls).toEqual(secure);
    }
  });

  it('createChainRegistry: prefers mainnets where viem lists an id twice', () => {
    const { find } = registry();
    expect([999, 8453, 260, 9].map((id) => find(id)?.name)).toEqual([
      'HyperEVM',
      'Base',
      'Guru Network Mainnet',
      'Quai Network Mainnet',
    ]);
  });

  it('createChainRegistry: has no URLs by default, public ones on request, and prefers configured ones', () => {
    const configured = ['https://rpc.example/1'];
    expect(registry().find(1)?.rpcUrls).toEqual([]);
    expect(registry({ publicRpc: true }).find(1)?.rpcUrls).toEqual(viemChains.mainnet.rpcUrls.default.http);
    expect(registry({ publicRpc: true, rpcUrls: new Map([[1, configured]]) }).find(1)?.rpcUrls).toEqual(
      configured,
    );
    const custom = [{ id: 1, rpcUrls: ['https://other.example'] }];
    expect(registry({ custom, rpcUrls: new Map([[1, configured]]) }).find(1)?.rpcUrls).toEqual(configured);
  });

  it('createChainRegistry: never uses a public URL without https', () => {
    expect(registry({ publicRpc: true }).find(31_337)).toMatchObject({ name: 'Anvil', rpcUrls: [] });
  });

  it('createChainRegistry: adds custom chains and overrides known ones', () => {
    const custom = [
      { id: 424_242_424_242, name: 'Ours', rpcUrls: ['http://10.0.0.1:8545'], nativeDecimals: 9 },
      { id: 10, blockTime: 1 },
    ];
    const { find } = registry({ custom });
    expect(find(424_242_424_242)).toEqual({ ...custom[0], nativeSymbol: 'ETH' });
    expect(find(10)).toMatchObject({ name: 'OP Mainnet', blockTime: 1, nativeDecimals: 18 });
    expect(find(424_242_424_243)).toBeUndefined();
  });

  it('createChainRegistry: gives a fixed block time only to listed chains and to those with a configured block time', () => {
    const custom = [
      { id: 43_114, blockTime: 2_000 },
      { id: 424_242_424_242, blockTime: 0 },
    ];
    const haveFixedBlockTime = (registry: ReturnType<typeof createChainRegistry>, ids: number[]): unknown[] =>
      ids.map((id) => registry.find(id)?.hasFixedBlockTime === true);
    // Ethereum, Base; ZKsync Era, Abstract, Avalanche, Linea
    expect(haveFixedBlockTime(registry(), [1, 8_453, 324, 2_741, 43_114, 59_144])).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(haveFixedBlockTime(registry({ custom }), [43_114, 424_242_424_242])).toEqual([true, false]);
  });

  it('createChainRegistry: sets the block time of the local chain to 0', () => {
    expect(registry({ localChainId: 31_337 }).find(31_337)?.blockTime).toBe(0);
  });

  it('createChainRegistry: rejects a URL without http, and does not quote it', () => {
    for (const url of ['secret', 'ftp://secret', 'wss://secret']) {
      expect(() => registry({ rpcUrls: new Map([[1, [url]]]) })).toThrow(
        'RPC URL 1 of chain 1 is not an http(s) URL',
      );
    }
  });
});
