import type { EvmAddress, LinkedWallet } from '@app/dto';
import type { SubjectAddresses } from './subject-addresses.js';

/**
 * The addresses that a user's wallets count as: a plain key's on every EVM chain, a contract account's only where it was
 * proven (contract.md section 4), a Solana wallet's on none of them.
 */
export function toSubjectAddresses(wallets: readonly LinkedWallet[]): SubjectAddresses {
  const everywhere = distinct(wallets.filter(({ type }) => type === 'eoa'));
  const contracts = wallets.filter(({ type }) => type === 'contract');
  const byChain = new Map<number, readonly EvmAddress[]>();
  for (const chainId of new Set(contracts.map((wallet) => Number(wallet.chainId)))) {
    const here = distinct(contracts.filter((wallet) => Number(wallet.chainId) === chainId));
    byChain.set(chainId, [...everywhere, ...here.filter((address) => !everywhere.includes(address))]);
  }
  const most = Math.max(everywhere.length, ...Array.from(byChain.values(), ({ length }) => length));
  return { getAddresses: (chainId) => byChain.get(chainId) ?? everywhere, maxCount: most };
}

// Identity keeps addresses of these two types in this form, and no other.
const distinct = (wallets: readonly LinkedWallet[]): EvmAddress[] => [
  ...new Set(wallets.map(({ address }) => address.toLowerCase() as EvmAddress)),
];
