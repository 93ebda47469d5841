import type { EvmAddress } from '@app/dto';
import { isArbitrumChain } from './arbitrum-chains.js';
import { toLowerCaseAddress } from '../../reads/evm/abi-codec.js';
import { knownChains } from './known-chains.generated.js';

/**
 * The chains of known-chains.generated.ts that produce a block every block time, with or without transactions: only there does the age of
 * the newest block show that a node is stuck. Other chains produce blocks on demand (ZKsync, Avalanche, Linea, Arbitrum's
 * software …). On a chain that is missing here stuck nodes go undetected; one that is wrongly here cannot be read in quiet times.
 */
const FIXED_BLOCK_TIME_CHAIN_IDS: ReadonlySet<number> = new Set([
  // Proof of stake with fixed slots: Ethereum, Gnosis and Chiado, PulseChain and its test net
  1, 100, 10200, 369, 943,
  // BNB Smart Chain, Polygon, Berachain and Bepolia, Tron
  56, 137, 80094, 80069, 728126428,
  // The OP stack derives one block per block time: https://specs.optimism.io/protocol/derivation.html
  10, 130, 252, 360, 480, 690, 919, 1135, 1301, 1750, 1868, 1923, 1924, 1946, 2522, 4202, 4801, 5330, 8453,
  11011, 17069, 34443, 42220, 53302, 57073, 60808, 81224, 81457, 84532, 91342, 763373, 808813, 7777777,
  11142220, 11155420, 999999999,
]);

function isFixedBlockTimeChain(chainId: number): boolean {
  return FIXED_BLOCK_TIME_CHAIN_IDS.has(chainId);
}

export interface ChainInfo {
  readonly id: number;
  readonly name: string;
  /** The first one is preferred; empty if none is configured. */
  readonly rpcUrls: readonly string[];
  /** The address of Multicall3. Unset: its code is injected by state override. */
  readonly multicall3?: EvmAddress;
  readonly nativeDecimals: number;
  /** The symbol of the coin, such as ETH. */
  readonly nativeSymbol: string;
  /** Milliseconds; 0 on the local chain, whose state can change at any moment. */
  readonly blockTime?: number;
  /** Whether the chain produces a block every block time, with or without transactions. */
  readonly hasFixedBlockTime?: boolean;
  /** Whether contracts see the parent chain's block numbers (arbitrum-chains.ts). */
  readonly isArbitrum?: boolean;
  /** The number of nodes that have to agree on a result. Unset: the first result is used. */
  readonly quorum?: number;
}

/** A chain from configuration: a new one, or overrides for a known one. */
export interface CustomChain {
  readonly id: number;
  readonly name?: string;
  readonly rpcUrls?: readonly string[];
  readonly multicall3?: EvmAddress;
  readonly nativeDecimals?: number;
  readonly nativeSymbol?: string;
  /** Milliseconds between blocks, which then must come with or without transactions; 0 for a chain with blocks on demand. */
  readonly blockTime?: number;
}

export interface ChainRegistryOptions {
  readonly custom: readonly CustomChain[];
  /** RPC URLs by chain id; they take precedence over every other source. */
  readonly rpcUrls: ReadonlyMap<number, readonly string[]>;
  /** Whether a chain without configured RPC URLs uses the public ones that viem lists (https only). */
  readonly publicRpc: boolean;
  readonly localChainId?: number;
  /** The number of nodes that have to agree on a result, by chain id. */
  readonly quorums?: ReadonlyMap<number, number>;
}

export interface ChainRegistry {
  readonly find: (chainId: number) => ChainInfo | undefined;
  /** Chains that have an RPC URL, by id. */
  readonly listWithNode: () => ChainInfo[];
}

/** Every EVM chain that viem lists, and those from configuration. Throws Error on an invalid RPC URL, address or quorum. */
export function createChainRegistry(options: ChainRegistryOptions): ChainRegistry {
  const chains = new Map<number, ChainInfo>();
  const add = (chain: ChainInfo): void => {
    const rpcUrls = options.rpcUrls.get(chain.id) ?? chain.rpcUrls;
    rpcUrls.forEach((url, index) => {
      checkRpcUrl(url, `RPC URL ${index + 1} of chain ${chain.id}`);
    });
    const quorum = options.quorums?.get(chain.id);
    chains.set(chain.id, {
      ...chain,
      rpcUrls,
      ...(chain.id === options.localChainId ? { blockTime: 0 } : {}),
      ...(isArbitrumChain(chain.id) ? { isArbitrum: true } : {}),
      ...(quorum === undefined ? {} : { quorum }),
    });
  };
  for (const row of knownChains.trim().split('\n')) add(parseRow(row, options.publicRpc));
  for (const chain of options.custom) {
    const base = chains.get(chain.id) ?? {
      name: `Chain ${chain.id}`,
      rpcUrls: [],
      nativeDecimals: 18,
      nativeSymbol: 'ETH',
    };
    add({
      ...base,
      ...chain,
      ...(chain.blockTime ? { hasFixedBlockTime: true } : {}),
      ...(chain.multicall3 ? { multicall3: toLowerCaseAddress(chain.multicall3) } : {}),
    });
  }
  for (const [id, quorum] of options.quorums ?? []) checkQuorum(id, quorum, chains.get(id));
  return {
    find: (chainId) => chains.get(chainId),
    listWithNode: () =>
      [...chains.values()].filter(({ rpcUrls }) => rpcUrls.length > 0).sort((a, b) => a.id - b.id),
  };
}

function parseRow(row: string, publicRpc: boolean): ChainInfo {
  const [id, name = '', decimals, nativeSymbol = '', multicall3, blockTime, urls] = row.split('\t');
  return {
    id: Number(id),
    name,
    nativeDecimals: Number(decimals),
    nativeSymbol,
    rpcUrls: publicRpc && urls ? urls.split(' ') : [],
    ...(multicall3 ? { multicall3: toLowerCaseAddress(multicall3) } : {}),
    ...(blockTime ? { blockTime: Number(blockTime) } : {}),
    ...(isFixedBlockTimeChain(Number(id)) ? { hasFixedBlockTime: true } : {}),
  };
}

/** The message must not contain the URL, which may contain a key. */
function checkRpcUrl(url: string, name: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`${name} is not an http(s) URL`);
}

function checkQuorum(id: number, quorum: number, chain: ChainInfo | undefined): void {
  const nodes = new Set(chain?.rpcUrls).size;
  if (nodes < quorum)
    throw new Error(`a quorum of ${quorum} on chain ${id} needs as many RPC URLs; it has ${nodes}`);
}
