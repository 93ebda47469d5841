import { deriveUserId } from '@app/auth';
import { account, type EvmAddress, toChecksumAddress } from '@app/dto';

/** A wallet that may sign in: an account on a chain, and how it proves itself there. */
export interface Wallet {
  readonly platform: 'ethereum' | 'solana';
  /**
   * Who it is on its platform, see userIdOf. A plain key is the same on every EVM chain, a contract only where it was
   * proven (contract.md section 4).
   */
  readonly key: string;
  readonly type: 'eoa' | 'contract' | 'solana';
  /** The reference of CAIP-2. */
  readonly chainId: string;
  /** In the mixed case of ERC-55 where it is Ethereum's. */
  readonly address: string;
  /** CAIP-10. */
  readonly accountId: string;
}

export const toUserId = ({ platform, key }: Wallet): string => deriveUserId(platform, key);

/** A wallet that signs with the key of its address. */
export function createEoaWallet(chainId: number, address: EvmAddress): Wallet {
  return { ...createEthereumFields(chainId, address), type: 'eoa', key: address.toLowerCase() };
}

/** A wallet that is a contract on one chain (ERC-1271, ERC-6492). */
export function createContractWallet(chainId: number, address: EvmAddress): Wallet {
  return {
    ...createEthereumFields(chainId, address),
    type: 'contract',
    key: `eip155:${chainId}:${address.toLowerCase()}`,
  };
}

/** @param chainId the reference of CAIP-30: the beginning of the genesis block's hash */
export function createSolanaWallet(chainId: string, address: string): Wallet {
  const accountId = `solana:${chainId}:${address}`;
  return { platform: 'solana', key: address, type: 'solana', chainId, address, accountId };
}

/** Every wallet that a CAIP-10 id can mean: whether an Ethereum account is a contract it does not say. */
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
