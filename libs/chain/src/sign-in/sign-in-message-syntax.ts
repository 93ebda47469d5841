import { hasValidChecksum } from '@app/dto';
import {
  type SolanaSignInChain,
  solanaSignInChains,
  type SignInField,
  SignInMessageError,
} from './sign-in-message.js';
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

/** The prefixes of the lines of a message, in order. */
export const fieldTags = {
  uri: 'URI: ',
  version: 'Version: ',
  chainId: 'Chain ID: ',
  nonce: 'Nonce: ',
  issuedAt: 'Issued At: ',
  expirationTime: 'Expiration Time: ',
  notBefore: 'Not Before: ',
  requestId: 'Request ID: ',
  resources: 'Resources:',
} as const;

type TaggedField = keyof typeof fieldTags;

/** Reads the lines of a message once, from first to last. */
export class MessageLineReader {
  private index = 0;
  private readonly lines: readonly string[];

  constructor(text: string) {
    this.lines = text.split('\n');
  }

  peek(ahead = 0): string | undefined {
    return this.lines[this.index + ahead];
  }

  take(): string | undefined {
    this.index += 1;
    return this.lines[this.index - 1];
  }

  takeEmpty(field: SignInField): void {
    if (this.take() !== '') throw new SignInMessageError(field, 'must be one line, followed by an empty one');
  }

  /** The text after the tag on the next line. Throws SignInMessageError if the line is another one. */
  takeRequired(field: TaggedField): string {
    const text = this.takeOptional(field);
    if (text === undefined) throw new SignInMessageError(field, 'is missing or out of order');
    return text;
  }

  /** Undefined if the next line is another one. */
  takeOptional(field: TaggedField): string | undefined {
    const line = this.peek();
    if (line?.startsWith(fieldTags[field]) !== true) return undefined;
    this.index += 1;
    return line.slice(fieldTags[field].length);
  }

  /** Throws SignInMessageError if a line is left. */
  expectEnd(): void {
    const line = this.peek();
    if (line === undefined) return;
    for (const [field, tag] of Object.entries(fieldTags) as [TaggedField, string][])
      if (line.startsWith(tag)) throw new SignInMessageError(field, 'is repeated or out of order');
    throw new SignInMessageError('message', 'has a line that belongs to no field');
  }
}
