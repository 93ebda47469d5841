import { SOLANA_CLUSTERS } from '@app/dto';
import { z } from 'zod';

/** Solana's networks as the interface names them (spec.md 4.3). */
export const solanaNetwork = z.enum(['SOL', 'SOL_DEVNET']);
export type SolanaNetwork = z.infer<typeof solanaNetwork>;

const CHAIN_IDS: Readonly<Record<SolanaNetwork, number>> = {
  SOL: 8_000_000_000_101,
  SOL_DEVNET: 8_000_000_000_103,
};

/** The chain id under which the configuration names a network, and the genesis hash of its nodes. */
export function findCluster(network: SolanaNetwork): (typeof SOLANA_CLUSTERS)[number] {
  const cluster = SOLANA_CLUSTERS.find(({ id }) => id === CHAIN_IDS[network]);
  if (!cluster) throw new Error(`no cluster has the network ${network}`);
  return cluster;
}
