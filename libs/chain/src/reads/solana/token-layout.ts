import base58 from 'bs58';
import { type ByteReader, readFields } from './byte-reader.js';

/** Token and Token-2022, whose accounts have the same first fields. */
export const TOKEN_PROGRAM_IDS: readonly string[] = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];

/** https://docs.rs/spl-token/latest/spl_token/state/struct.Mint.html */
const MINT = { bytes: 82, decimals: 44, isInitialized: 45 } as const;
/** https://docs.rs/spl-token/latest/spl_token/state/struct.Account.html */
const TOKEN_ACCOUNT = { bytes: 165, mint: 0, owner: 32, amount: 64 } as const;
/**
 * The byte that follows a mint with extensions, which is padded to the length of a token account: it says that it is a
 * mint.
 */
const EXTENDED_MINT = 1;
const ADDRESS_BYTES = 32;

/** The first fields of a token account: its mint, its owner and its amount. Frozen tokens are still held. */
export const TOKEN_ACCOUNT_SLICE_BYTES = 72;

/** A node may answer with more than the slice. @param owner the bytes of an address */
export const isTokenAccountOf = (slice: Uint8Array, owner: Uint8Array): boolean =>
  slice.length >= TOKEN_ACCOUNT_SLICE_BYTES && hasBytes(slice, TOKEN_ACCOUNT.owner, owner);

/** @param mint the bytes of an address */
export const isTokenAccountFor = (slice: Uint8Array, mint: Uint8Array): boolean =>
  hasBytes(slice, TOKEN_ACCOUNT.mint, mint);

export const readTokenMint = (slice: Uint8Array): string => readAddress(slice, TOKEN_ACCOUNT.mint);

/** The amount in the mint's smallest unit. */
export const readTokenAmount = (slice: Uint8Array): bigint =>
  new DataView(slice.buffer, slice.byteOffset).getBigUint64(TOKEN_ACCOUNT.amount, true);

/** Extensions of Token-2022 (https://solana.com/docs/tokens/extensions). */
const METADATA_POINTER = 18;
const TOKEN_METADATA = 19;
const GROUP_MEMBER_POINTER = 22;
const TOKEN_GROUP_MEMBER = 23;

/**
 * The group that a Token-2022 mint is a member of, if its membership is stored in the mint itself: a pointer to another
 * account could be changed to any. Undefined for a mint without a group, or with one beyond the end of the data.
 */
export function parseTokenGroup(data: Uint8Array, mint: string): string | undefined {
  let pointer: string | undefined;
  let member: { readonly mint: string; readonly group: string } | undefined;
  readFields(data.subarray(TOKEN_ACCOUNT.bytes + 1), (reader) => {
    while (reader.remaining > 0) {
      const type = reader.u16();
      const value = reader.bytes(reader.u16());
      if (type === GROUP_MEMBER_POINTER) pointer = readFields(value, readSecondAddress);
      if (type === TOKEN_GROUP_MEMBER)
        member = readFields(value, (fields) => ({ mint: fields.address(), group: fields.address() }));
    }
  });
  return pointer === mint && member?.mint === mint ? member.group : undefined;
}

/**
 * How many bytes of a mint with extensions are read. A transaction writes some 1,000 bytes of metadata, and a batch of 200 mints is 2.2 MB
 * in base64.
 */
export const MAX_MINT_BYTES = 8_192;

/** The metadata that a Token-2022 mint holds itself. */
export interface MintMetadata {
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}

/**
 * The metadata that a Token-2022 mint holds itself, and points to. Undefined for a mint without, or that points to another account;
 * null where its URI, or the pointer to it, is beyond the bytes that are read.
 */
export function parseMintMetadata(data: Uint8Array, mint: string): MintMetadata | null | undefined {
  let pointer: string | undefined;
  let metadata: MintMetadata | undefined;
  const isWhole = readFields(data.subarray(TOKEN_ACCOUNT.bytes + 1), (reader) => {
    while (reader.remaining > 0) {
      const type = reader.u16();
      const length = reader.u16();
      // The data may end before the extension does, because further fields follow the URI.
      const value = reader.bytes(type === TOKEN_METADATA ? Math.min(length, reader.remaining) : length);
      if (type === METADATA_POINTER) pointer = readFields(value, readSecondAddress);
      if (type === TOKEN_METADATA) metadata = readFields(value, readMintMetadata);
      if (value.length < length) return false;
    }
    return true;
  });
  if (pointer !== undefined && pointer !== mint) return undefined;
  if (metadata && pointer === mint) return metadata.mint === mint ? metadata : undefined;
  return !isWhole && data.length >= MAX_MINT_BYTES ? null : undefined;
}

function readMintMetadata(reader: ByteReader): MintMetadata {
  reader.address(); // update authority
  return { mint: reader.address(), name: reader.text(), symbol: reader.text(), uri: reader.text() };
}

/** Behind the authority. */
function readSecondAddress(reader: ByteReader): string {
  reader.address();
  return reader.address();
}

/** The decimals of a mint; undefined if the data is not an initialized mint's. */
export function parseMintDecimals(data: Uint8Array): number | undefined {
  const isMint = data.length === MINT.bytes || data[TOKEN_ACCOUNT.bytes] === EXTENDED_MINT;
  return isMint && data[MINT.isInitialized] === 1 ? data[MINT.decimals] : undefined;
}

const hasBytes = (data: Uint8Array, offset: number, expected: Uint8Array): boolean =>
  Buffer.compare(data.subarray(offset, offset + expected.length), expected) === 0;

const readAddress = (data: Uint8Array, offset: number): string =>
  base58.encode(data.subarray(offset, offset + ADDRESS_BYTES));
