import { hasValidChecksum } from '@app/dto';
import { type SolanaSignInChain, solanaSignInChains } from './sign-in-message.js';
import { parseSolanaAddress } from './parse-solana-address.js';

/**
 * https://eips.ethereum.org/EIPS/eip-4361. The checksum of ERC-55 is demanded of contract accounts too: an address in one
 * case would be a second spelling of the same account, and the wallets all show the mixed case.
 */
export const ethereumSyntax: SignInMessageSyntax<number> = {
  preamble: ' wants you to sign in with your Ethereum account:',
  emptyLines: 2,
  isAddress: (text) => /^0x[0-9a-fA-F]{40}$/.test(text) && hasValidChecksum(text),
  addressReason: 'must be 0x and 40 hex digits in the mixed case of ERC-55',
  parseChainId: (text) => {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
    return Number.isSafeInteger(id) ? id : undefined;
  },
  chainIdReason: 'must be a number from 1 to 2^53-1 in plain decimal digits',
};

/**
 * https://github.com/phantom/sign-in-with-solana. What it leaves to the wallet is required here, as EIP-4361 requires it: a
 * message without nonce, chain or time proves too little.
 */
export const solanaSyntax: SignInMessageSyntax<SolanaSignInChain> = {
  preamble: ' wants you to sign in with your Solana account:',
  emptyLines: 1,
  isAddress: (text) => parseSolanaAddress(text) !== undefined,
  addressReason: 'must be 32 bytes in base58',
  parseChainId: (text) => solanaSignInChains.find((chain) => chain === text),
  chainIdReason: `must be one of ${solanaSignInChains.join(', ')}`,
};

/** What differs between the messages of two kinds of chains. */
export interface SignInMessageSyntax<ChainId> {
  /** The first line, after the domain. */
  readonly preamble: string;
  /** Empty lines between the address and the fields of a message that has no statement. */
  readonly emptyLines: 1 | 2;
  readonly isAddress: (text: string) => boolean;
  readonly addressReason: string;
  /** Undefined: it is none. */
  readonly parseChainId: (text: string) => ChainId | undefined;
  readonly chainIdReason: string;
}
