import { type EvmAddress, isSolanaChain } from '@app/dto';

/** An EVM account whose CAIP-10 id names a chain. Whether it counts on other chains depends on its code (contract.md section 4). */
export interface NamedAccount {
  readonly chainId: number;
  readonly address: EvmAddress;
}

/** The addresses of an account, user or member by chain. */
export interface SubjectAddresses {
  /** Distinct addresses, of EVM chains in lower case; empty when the subject has none on this chain. */
  readonly getAddresses: (chainId: number) => readonly string[];
  /** Maximum number of addresses over all chains. */
  readonly maxCount: number;
  /** Absent for plain addresses and for wallets of users, which count as they were proven. */
  readonly named?: NamedAccount;
}

/** A plain address, which counts on every chain of its family (contract.md section 5). */
export function createSingleAddress(family: 'evm' | 'solana', address: string): SubjectAddresses {
  const only = [address];
  const isSolana = family === 'solana';
  return { getAddresses: (chainId) => (isSolanaChain(chainId) === isSolana ? only : []), maxCount: 1 };
}

/** The address of a CAIP-10 id. `getAddresses` returns it for every EVM chain; the reads of a chain include its code. */
export const createNamedAddress = (named: NamedAccount): SubjectAddresses => ({
  ...createSingleAddress('evm', named.address),
  named,
});

/** The same account, without addresses on some chains. */
export const excludeChains = (
  { getAddresses, ...subject }: SubjectAddresses,
  excluded: ReadonlySet<number>,
): SubjectAddresses => ({
  ...subject,
  getAddresses: (chainId) => (excluded.has(chainId) ? [] : getAddresses(chainId)),
});
