import type { EvmAddress } from '@app/dto';

/** Whose holdings count, chain by chain. */
export interface SubjectAddresses {
  /** Each address once, in lower case. Empty: nothing on this chain is theirs. */
  getAddresses(chainId: number): readonly EvmAddress[];
  /** At most so many on any chain. */
  readonly maxCount: number;
}

/** One plain address: it counts on every EVM chain (contract.md section 5). */
export function createSingleAddress(address: EvmAddress): SubjectAddresses {
  const only = [address];
  return { getAddresses: () => only, maxCount: 1 };
}

/** An account of another chain family: EVM rules grant it nothing. */
export const NO_ADDRESSES: SubjectAddresses = { getAddresses: () => [], maxCount: 0 };
