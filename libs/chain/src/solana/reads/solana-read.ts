/** One read of a node, as a plain value. Addresses are base58. */
export type SolanaCall =
  | { readonly kind: 'account'; readonly address: string }
  /** Every token account of an owner for one mint, of the token program that the mint belongs to. */
  | { readonly kind: 'token_accounts'; readonly owner: string; readonly mint: string };

/** A call and how its result is decoded. */
export interface SolanaRead<T> {
  readonly call: SolanaCall;
  /** Decodes a text of account-codec.ts. Undefined where the account is of another kind, which is a permanent failure. */
  readonly decode: (data: string) => T | undefined;
  /** Describes that failure, such as "no token mint at this address". */
  readonly absence: string;
}

/** Equal for equal calls. */
export const toCallKey = (call: SolanaCall): string =>
  call.kind === 'account' ? call.address : `${call.owner} ${call.mint}`;
