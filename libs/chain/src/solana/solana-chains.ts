import { SOLANA_CLUSTERS } from '@app/dto';

/** A Solana cluster and its nodes. */
export interface SolanaChainInfo {
  readonly id: number;
  readonly name: string;
  /** Base58. */
  readonly genesisHash: string;
  /** The first one is preferred; empty if none is configured. */
  readonly rpcUrls: readonly string[];
  readonly nativeDecimals: number;
  /** The symbol of the coin, such as SOL. */
  readonly nativeSymbol: string;
}

/** @param rpcUrls of every chain, by chain id */
export function createSolanaChains(
  rpcUrls: ReadonlyMap<number, readonly string[]>,
): ReadonlyMap<number, SolanaChainInfo> {
  return new Map(
    SOLANA_CLUSTERS.map((cluster) => [
      cluster.id,
      { ...cluster, rpcUrls: rpcUrls.get(cluster.id) ?? [], nativeDecimals: 9, nativeSymbol: 'SOL' },
    ]),
  );
}
