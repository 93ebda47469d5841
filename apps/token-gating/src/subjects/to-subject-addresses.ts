import { isSolanaChain, type LinkedWallet } from '@app/dto';
import type { SubjectAddresses } from './subject-addresses.js';

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
