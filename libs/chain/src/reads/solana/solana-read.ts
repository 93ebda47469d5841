/** A read of a node, as a plain value. Addresses are base58. */
export type SolanaCall =
  | { readonly kind: 'account'; readonly address: string }
  /** A mint with its extensions, and its account of the Token Metadata program. */
  | { readonly kind: 'nft'; readonly mint: string }
  /** Every token account of an owner for one mint, of the token program that the mint belongs to. */
  | { readonly kind: 'token_accounts'; readonly owner: string; readonly mint: string }
  /** The mints of which the token accounts of an owner hold one unit, of one token program. */
  | { readonly kind: 'single_units'; readonly owner: string; readonly programId: string }
  /** Every asset of the Core program that an owner holds. */
  | { readonly kind: 'core_assets'; readonly owner: string };

/** The result of a `single_units` or `core_assets` call for an owner with more accounts than are read. */
export const TOO_MANY_ACCOUNTS = 'too many';

/** A call and how its result is decoded. */
export interface SolanaRead<T> {
  readonly call: SolanaCall;
  /** Decodes a text of account-codec.ts. Undefined where the account is of another kind, which is a permanent failure. */
  readonly decode: (data: string) => T | undefined;
  /** Describes that failure, such as "no token mint at this address". */
  readonly absence: string;
}

/** Equal for equal calls. */
export const toCallKey = (call: SolanaCall): string => Object.values(call).join(' ');

/** The target that quarantine isolates. Callers choose any owner, so the target of token accounts is their mint. */
export function toCallTarget(call: SolanaCall): string {
  switch (call.kind) {
    case 'account':
      return call.address;
    case 'single_units':
    case 'core_assets':
      return call.owner;
    case 'nft':
    case 'token_accounts':
      return call.mint;
  }
}
