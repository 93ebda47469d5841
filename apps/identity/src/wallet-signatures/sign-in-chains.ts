/** A Solana cluster, by its name in sign-in messages. */
export type SolanaChain = keyof typeof REFERENCES;

/** CAIP-30: the first 32 characters of the genesis block's hash. */
const REFERENCES = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHScSCkcV',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
} as const;

const CHAINS = Object.keys(REFERENCES) as SolanaChain[];

/** The CAIP-2 reference of a chain. */
export const toSolanaReference = (chain: SolanaChain): string => REFERENCES[chain];

/** The cluster in the message of an address whose request names none. */
export const DEFAULT_SOLANA_CHAIN: SolanaChain = 'mainnet';
export const DEFAULT_SOLANA_REFERENCE = toSolanaReference(DEFAULT_SOLANA_CHAIN);

/** @param name the name in a sign-in message */
export const findSolanaChainByName = (name: string): SolanaChain | undefined =>
  CHAINS.find((chain) => chain === name);

/** @param reference CAIP-2 */
export const findSolanaChainByReference = (reference: string): SolanaChain | undefined =>
  CHAINS.find((chain) => REFERENCES[chain] === reference);

/** Placeholder in a sign-in message that names no account (contract.md section 4). Nobody can sign for it. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** Chain of an externally owned account when the request names none: its key is the same on every chain. */
export const DEFAULT_CHAIN_ID = 1;
