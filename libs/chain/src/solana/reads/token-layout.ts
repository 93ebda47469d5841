import { base58 } from '@scure/base';

/** Token and Token-2022, whose accounts have the same first fields. */
export const TOKEN_PROGRAM_IDS: readonly string[] = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];

/** https://docs.rs/spl-token/latest/spl_token/state/struct.Mint.html */
const MINT = { bytes: 82, decimals: 44, isInitialized: 45 } as const;
/** https://docs.rs/spl-token/latest/spl_token/state/struct.Account.html */
const TOKEN_ACCOUNT = { bytes: 165, mint: 0, owner: 32, amount: 64, state: 108 } as const;
/** With extensions, both are padded to the length of a token account and followed by a byte that says which one it is. */
const EXTENDED_MINT = 1;
const EXTENDED_TOKEN_ACCOUNT = 2;
const ADDRESS_BYTES = 32;

/** The fields of a token account. Its state may be frozen: frozen tokens are still held. */
export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  /** In the mint's smallest unit. */
  readonly amount: bigint;
}

/** The decimals of a mint; undefined if the data is not an initialized mint's. */
export function parseMintDecimals(data: Uint8Array): number | undefined {
  const isMint = data.length === MINT.bytes || data[TOKEN_ACCOUNT.bytes] === EXTENDED_MINT;
  return isMint && data[MINT.isInitialized] === 1 ? data[MINT.decimals] : undefined;
}

/** Undefined if the data is not an initialized token account's. */
export function parseTokenAccount(data: Uint8Array): TokenAccount | undefined {
  const isTokenAccount =
    data.length === TOKEN_ACCOUNT.bytes || data[TOKEN_ACCOUNT.bytes] === EXTENDED_TOKEN_ACCOUNT;
  if (!isTokenAccount || data[TOKEN_ACCOUNT.state] === 0) return undefined;
  return {
    mint: readAddress(data, TOKEN_ACCOUNT.mint),
    owner: readAddress(data, TOKEN_ACCOUNT.owner),
    amount: new DataView(data.buffer, data.byteOffset).getBigUint64(TOKEN_ACCOUNT.amount, true),
  };
}

const readAddress = (data: Uint8Array, offset: number): string =>
  base58.encode(data.subarray(offset, offset + ADDRESS_BYTES));
