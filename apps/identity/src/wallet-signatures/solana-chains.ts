/** A chain of Solana, under the name that messages have for it. */
export type SolanaChain = keyof typeof REFERENCES;

/** CAIP-30: the beginnings of the hashes of the genesis blocks. */
const REFERENCES = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHScSCkcV',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
} as const;

const CHAINS = Object.keys(REFERENCES) as SolanaChain[];

/** The reference of CAIP-2. */
export const toSolanaReference = (chain: SolanaChain): string => REFERENCES[chain];

/** @param name as a message has it */
export const findSolanaChainByName = (name: string): SolanaChain | undefined =>
  CHAINS.find((chain) => chain === name);

/** @param reference of CAIP-2 */
export const findSolanaChainByReference = (reference: string): SolanaChain | undefined =>
  CHAINS.find((chain) => REFERENCES[chain] === reference);
