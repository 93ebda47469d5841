import { isSolanaChain } from '@app/dto';

/** The addresses of an account, user or member by chain. */
export interface SubjectAddresses {
  /** Distinct addresses, of EVM chains in lower case; empty when the subject has none on this chain. */
  getAddresses(chainId: number): readonly string[];
  /** Maximum number of addresses over all chains. */
  readonly maxCount: number;
}

/** A plain address, which counts on every chain of its family (contract.md section 5). */
export function createSingleAddress(family: 'evm' | 'solana', address: string): SubjectAddresses {
  const only = [address];
  const isSolana = family === 'solana';
  return { getAddresses: (chainId) => (isSolanaChain(chainId) === isSolana ? only : []), maxCount: 1 };
}
