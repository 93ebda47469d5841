import base58 from 'bs58';
import { z } from 'zod';

/** Solana's clusters by the chain ids of contract.md section 5. CAIP-2 names them by 32 characters of the genesis hash. */
export const SOLANA_CLUSTERS = [
  {
    id: 8_000_000_000_101,
    name: 'Solana',
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  },
  {
    id: 8_000_000_000_102,
    name: 'Solana Testnet',
    genesisHash: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
  },
  {
    id: 8_000_000_000_103,
    name: 'Solana Devnet',
    genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  },
] as const;

export const isSolanaChain = (chainId: number): boolean => SOLANA_CLUSTERS.some(({ id }) => id === chainId);

/** The chain id of a CAIP-2 reference; undefined for an unknown cluster. */
export const findSolanaChainId = (reference: string): number | undefined =>
  SOLANA_CLUSTERS.find(({ genesisHash }) => genesisHash.slice(0, 32) === reference)?.id;

/** The CAIP-2 id of a chain of either family. */
export function formatCaip2(chainId: number): string {
  const cluster = SOLANA_CLUSTERS.find(({ id }) => id === chainId);
  return cluster ? `solana:${cluster.genesisHash.slice(0, 32)}` : `eip155:${chainId}`;
}

/** 32 bytes in base58. Its letters' case counts. */
export function isSolanaAddress(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return false;
  return base58.decode(text).length === 32;
}

/** Validates a Solana address. */
export const solanaAddress = z
  .string('is required: the address of the mint')
  .refine(isSolanaAddress, 'must be a Solana address: 32 bytes in base58');
