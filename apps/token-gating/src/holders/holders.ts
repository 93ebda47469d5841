import type { EvmAddress } from '@app/dto';

/** Whose holdings count, chain by chain. */
export interface Holders {
  /** Each address once, in lower case. Empty: nothing on this chain is theirs. */
  on(chainId: number): readonly EvmAddress[];
  /** At most so many on any chain. */
  readonly most: number;
}

/** One plain address: it counts on every EVM chain (contract.md section 5). */
export function oneAddress(address: EvmAddress): Holders {
  const only = [address];
  return { on: () => only, most: 1 };
}

/** An account of another chain family: EVM rules grant it nothing. */
export const NOBODY: Holders = { on: () => [], most: 0 };
