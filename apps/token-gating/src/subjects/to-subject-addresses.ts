import type { EvmAddress, LinkedWallet } from '@app/dto';
import type { SubjectAddresses } from './subject-addresses.js';

/**
 * The addresses of a user's wallets: externally owned accounts on every EVM chain, contract wallets only on the chain where
 * they were proven (contract.md section 4), Solana wallets on none.
 */
export function toSubjectAddresses(wallets: readonly LinkedWallet[]): SubjectAddresses {
  const everywhere = distinct(wallets.filter(({ type }) => type === 'eoa'));
  const contracts = wallets.filter(({ type }) => type === 'contract');
  const byChain = new Map<number, readonly EvmAddress[]>();
  for (const chainId of new Set(contracts.map((wallet) => Number(wallet.chainId)))) {
    const here = distinct(contracts.filter((wallet) => Number(wallet.chainId) === chainId));
    byChain.set(chainId, [...everywhere, ...here.filter((address) => !everywhere.includes(address))]);
  }
  const maxCount = Math.max(everywhere.length, ...Array.from(byChain.values(), ({ length }) => length));
  return { getAddresses: (chainId) => byChain.get(chainId) ?? everywhere, maxCount };
}

// Identity stores wallets of these two types as EVM addresses.
const distinct = (wallets: readonly LinkedWallet[]): EvmAddress[] => [
  ...new Set(wallets.map(({ address }) => address.toLowerCase() as EvmAddress)),
];
