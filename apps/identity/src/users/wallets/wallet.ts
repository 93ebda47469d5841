import { deriveUserId } from '@app/auth';
import { account, type EvmAddress, toChecksumAddress } from '@app/dto';

/** An account on a chain, and how its signatures are verified. */
export interface Wallet {
  readonly platform: 'ethereum' | 'solana';
  /**
   * Identifies the wallet on its platform, see toUserId. An externally owned account has one key on all EVM chains, a contract
   * wallet one per chain (contract.md section 4).
   */
  readonly key: string;
  readonly type: 'eoa' | 'contract' | 'solana';
  /** CAIP-2 reference. */
  readonly chainId: string;
  /** With the ERC-55 checksum on Ethereum. */
  readonly address: string;
  /** CAIP-10. */
  readonly accountId: string;
}

export const toUserId = ({ platform, key }: Wallet): string => deriveUserId(platform, key);

/** An externally owned account. */
export function createEoaWallet(chainId: number, address: EvmAddress): Wallet {
  return { ...createEthereumFields(chainId, address), type: 'eoa', key: address.toLowerCase() };
}

/** A contract wallet on one chain (ERC-1271, ERC-6492). */
export function createContractWallet(chainId: number, address: EvmAddress): Wallet {
  return {
    ...createEthereumFields(chainId, address),
    type: 'contract',
    key: `eip155:${chainId}:${address.toLowerCase()}`,
  };
}

/** @param chainId CAIP-30: the first 32 characters of the genesis block's hash */
export function createSolanaWallet(chainId: string, address: string): Wallet {
  const accountId = `solana:${chainId}:${address}`;
  return { platform: 'solana', key: address, type: 'solana', chainId, address, accountId };
}

/** All wallets that a CAIP-10 id can denote: it does not say whether an Ethereum account is a contract. */
export function parseCandidateWallets(accountId: string): Wallet[] {
  const [, chainId = ''] = accountId.split(':');
  const { data } = account.safeParse(accountId);
  switch (data?.family) {
    case 'evm': {
      const address = toChecksumAddress(data.address);
      return [createEoaWallet(Number(chainId), address), createContractWallet(Number(chainId), address)];
    }
    case 'solana':
      return [createSolanaWallet(chainId, data.address)];
    default:
      return [];
  }
}

function createEthereumFields(chainId: number, address: EvmAddress) {
  const accountId = `eip155:${chainId}:${address}`;
  return { platform: 'ethereum', chainId: String(chainId), address, accountId } as const;
}
