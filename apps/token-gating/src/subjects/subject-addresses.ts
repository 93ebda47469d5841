import { type EvmAddress, isSolanaChain, type LinkedWallet } from '@app/dto';

/** An EVM account whose CAIP-10 id names a chain. Whether it counts on other chains depends on its code (contract.md section 4). */
export interface NamedAccount {
  readonly chainId: number;
  readonly address: EvmAddress;
}

/** What a community remembers of the vaults of one member. */
export interface MemberVaults {
  /** Vaults that have counted for the member before, in a constant order. */
  readonly known: readonly string[];
  /** The vaults among these that count for the member, and for nobody else in the community. */
  readonly claim: (vaults: readonly string[]) => Promise<readonly string[]>;
  /** Notes known vaults of which the registry said that they do not count. */
  readonly deny: (vaults: readonly string[]) => void;
}

/** The addresses of an account, user or member by chain. */
export interface SubjectAddresses {
  /** Distinct addresses, of EVM chains in lower case; empty when the subject has none on this chain. */
  readonly getAddresses: (chainId: number) => readonly string[];
  /** Maximum number of addresses over all chains. */
  readonly maxCount: number;
  /** Absent for plain addresses and for wallets of users, which count as they were proven. */
  readonly named?: NamedAccount;
  /** Absent for all but members: in other checks a vault counts for everyone to whom it has delegated itself. */
  readonly vaults?: MemberVaults;
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

/**
 * The addresses of a user's wallets: externally owned accounts on every EVM chain, contract wallets only on the chain where
 * they were proven (contract.md section 4), Solana wallets on every Solana cluster.
 */
export function toSubjectAddresses(wallets: readonly LinkedWallet[]): SubjectAddresses {
  const solana = [...new Set(wallets.filter(({ type }) => type === 'solana').map(({ address }) => address))];
  const everywhere = distinct(wallets.filter(({ type }) => type === 'eoa'));
  const contracts = wallets.filter(({ type }) => type === 'contract');
  const byChain = new Map<number, readonly string[]>();
  for (const chainId of new Set(contracts.map((wallet) => Number(wallet.chainId)))) {
    const here = distinct(contracts.filter((wallet) => Number(wallet.chainId) === chainId));
    byChain.set(chainId, [...everywhere, ...here.filter((address) => !everywhere.includes(address))]);
  }
  const counts = Array.from(byChain.values(), ({ length }) => length);
  const maxCount = Math.max(solana.length, everywhere.length, ...counts);
  const getEvmAddresses = (chainId: number) => byChain.get(chainId) ?? everywhere;
  return {
    getAddresses: (chainId) => (isSolanaChain(chainId) ? solana : getEvmAddresses(chainId)),
    maxCount,
  };
}

// Identity stores wallets of these two types as EVM addresses.
const distinct = (wallets: readonly LinkedWallet[]): string[] => [
  ...new Set(wallets.map(({ address }) => address.toLowerCase())),
];
