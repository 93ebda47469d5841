import { hasValidChecksum } from '@app/dto';
import { type SolanaSignInChain, solanaSignInChains } from './sign-in-message.js';
import { parseSolanaAddress } from './parse-solana-address.js';

/**
 * https://eips.ethereum.org/EIPS/eip-4361. The checksum of ERC-55 is required of contract wallets too: without it an account
 * would have several valid texts, and all wallets show the checksummed form.
 */
export const ethereumSyntax: SignInMessageSyntax<number> = {
  preamble: ' wants you to sign in with your Ethereum account:',
  emptyLines: 2,
  isAddress: (text) => /^0x[0-9a-fA-F]{40}$/.test(text) && hasValidChecksum(text),
  addressReason: 'must be 0x and 40 hex digits with the checksum of ERC-55',
  parseChainId: (text) => {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
    return Number.isSafeInteger(id) ? id : undefined;
  },
  chainIdReason: 'must be a number from 1 to 2^53-1 in plain decimal digits',
};

/**
 * https://github.com/phantom/sign-in-with-solana. Fields that it leaves optional but EIP-4361 requires (nonce, chain id, time)
 * are required here too, because without them a signature could be replayed.
 */
export const solanaSyntax: SignInMessageSyntax<SolanaSignInChain> = {
  preamble: ' wants you to sign in with your Solana account:',
  emptyLines: 1,
  isAddress: (text) => parseSolanaAddress(text) !== undefined,
  addressReason: 'must be 32 bytes in base58',
  parseChainId: (text) => solanaSignInChains.find((chain) => chain === text),
  chainIdReason: `must be one of ${solanaSignInChains.join(', ')}`,
};

/** The differences between the messages of EVM chains and Solana. */
export interface SignInMessageSyntax<ChainId> {
  /** The first line, after the domain. */
  readonly preamble: string;
  /** Empty lines between the address and the fields of a message without a statement. */
  readonly emptyLines: 1 | 2;
  readonly isAddress: (text: string) => boolean;
  readonly addressReason: string;
  /** Undefined if the text is not a valid chain id. */
  readonly parseChainId: (text: string) => ChainId | undefined;
  readonly chainIdReason: string;
}
