/** The fields of a sign-in message (EIP-4361). Every text is as in the message. */
export interface SignInFields<ChainId> {
  readonly scheme?: string;
  /** An authority of RFC 3986: host and optional port. */
  readonly domain: string;
  readonly address: string;
  readonly statement?: string;
  readonly uri: string;
  readonly chainId: ChainId;
  readonly nonce: string;
  /** RFC 3339, as are the next two; `Date.parse` accepts them. */
  readonly issuedAt: string;
  readonly expirationTime?: string;
  readonly notBefore?: string;
  readonly requestId?: string;
  /** Undefined if the message lacks the heading; the list may be empty. */
  readonly resources?: readonly string[];
}

/** The address has the checksum of ERC-55. */
export type SignInMessage = SignInFields<number>;

/** The chain ids of Sign In With Solana. */
export const solanaSignInChains = [
  'mainnet',
  'testnet',
  'devnet',
  'localnet',
  'solana:mainnet',
  'solana:testnet',
  'solana:devnet',
] as const;
export type SolanaSignInChain = (typeof solanaSignInChains)[number];

/** The address is base58. */
export type SolanaSignInMessage = SignInFields<SolanaSignInChain>;

/** The invalid field; `message` if no single field is the cause. */
export type SignInField = keyof SignInFields<unknown> | 'version' | 'message';

/** Safe to show: neither text quotes the message. */
export interface SignInMessageProblem {
  readonly field: SignInField;
  /** Continues a sentence that begins with the field's name. */
  readonly reason: string;
}

export type SignInParseResult<Message> =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly problem: SignInMessageProblem };

/** A field of a sign-in message is invalid. */
export class SignInMessageError extends Error implements SignInMessageProblem {
  override readonly name = 'SignInMessageError';

  constructor(
    readonly field: SignInField,
    readonly reason: string,
  ) {
    super(`${field} ${reason}`);
  }
}
