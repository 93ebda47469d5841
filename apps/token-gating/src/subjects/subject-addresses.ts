import type { EvmAddress } from '@app/dto';

/** The addresses of an account, user or member by chain. */
export interface SubjectAddresses {
  /** Distinct addresses in lower case; empty when the subject has none on this chain. */
  getAddresses(chainId: number): readonly EvmAddress[];
  /** Maximum number of addresses over all chains. */
  readonly maxCount: number;
}

/** A plain address, which counts on every EVM chain (contract.md section 5). */
export function createSingleAddress(address: EvmAddress): SubjectAddresses {
  const only = [address];
  return { getAddresses: () => only, maxCount: 1 };
}

/** For accounts of other chain families, which EVM rules grant nothing. */
export const NO_ADDRESSES: SubjectAddresses = { getAddresses: () => [], maxCount: 0 };
