/** What a message to be signed says (EIP-4361). Every text is as it stands in the message. */
export interface SignInFields<ChainId> {
  readonly scheme?: string;
  /** An authority of RFC 3986: host, with a port where there is one. */
  readonly domain: string;
  readonly address: string;
  readonly statement?: string;
  readonly uri: string;
  readonly chainId: ChainId;
  readonly nonce: string;
  /** RFC 3339, like the two below; `Date.parse` understands them. */
  readonly issuedAt: string;
  readonly expirationTime?: string;
  readonly notBefore?: string;
  readonly requestId?: string;
  /** Undefined: the message has no such heading. */
  readonly resources?: readonly string[];
}

/** The address is in the mixed case of ERC-55. */
export type SignInMessage = SignInFields<number>;

/** The chain ids that Sign In With Solana knows. */
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

/** Where a message goes wrong; `message` where no field can be named. */
export type SignInField = keyof SignInFields<unknown> | 'version' | 'message';

/** Both may be shown: neither quotes the message. */
export interface SignInMessageProblem {
  readonly field: SignInField;
  /** What follows the field's name in a sentence. */
  readonly reason: string;
}

export type SignInParseResult<Message> =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly problem: SignInMessageProblem };

/** A field that has not the form it must have. */
export class SignInMessageError extends Error implements SignInMessageProblem {
  override readonly name = 'SignInMessageError';

  constructor(
    readonly field: SignInField,
    readonly reason: string,
  ) {
    super(`${field} ${reason}`);
  }
}
