import { deriveUserId } from '@app/auth';
import { account, type EvmAddress, toChecksumAddress, type UserPlatform } from '@app/dto';
import { toSolanaReference } from '../../wallet-signatures/sign-in-chains.js';

const MAIN_CHAIN_ID = 1;

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
  /** The address, with the ERC-55 checksum on Ethereum. */
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

/** Reads the key of a wallet, which is the platform user id of its user. */
function parseWalletKey(platform: UserPlatform, key: string): Wallet | undefined {
  if (platform === 'solana') return createSolanaWallet(toSolanaReference('mainnet'), key);
  if (platform !== 'ethereum') return undefined;
  const accountId = key.startsWith('eip155:') ? key : `eip155:${MAIN_CHAIN_ID}:${key}`;
  return parseCandidateWallets(accountId).find((wallet) => wallet.key === key);
}

/**
 * The wallet from which a user's id follows, as CAIP-10; undefined for users of platforms without wallets. The id does not tell the
 * chain of an externally owned account or the cluster of a Solana account, so these are the main ones.
 */
export const findIdentityAccount = (platform: UserPlatform, platformUserId: string): string | undefined =>
  parseWalletKey(platform, platformUserId)?.accountId;

function createEthereumFields(chainId: number, address: EvmAddress) {
  const accountId = `eip155:${chainId}:${address}`;
  return { platform: 'ethereum', chainId: String(chainId), address, accountId } as const;
}

const HEAD_LENGTH = 6;
const TAIL_LENGTH = 4;

/** Shortens a CAIP-10 id to `0x7099…79C8`. */
export function shortenAccount(account: string): string {
  const address = account.slice(account.lastIndexOf(':') + 1);
  return `${address.slice(0, HEAD_LENGTH)}…${address.slice(-TAIL_LENGTH)}`;
}
