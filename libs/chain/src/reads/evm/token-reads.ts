import type { EvmAddress } from '@app/dto';
import {
  decodeUint256,
  MalformedReturnDataError,
  encodeAddress,
  encodeUint256,
  toLowerCaseAddress,
  encodeNumber,
} from './abi-codec.js';
import { type ContractRead, MAX_LARGE_TEXT_BYTES } from './contract-read.js';

/**
 * The longest text of an ordinary read. Longer texts hold a document with images; they are read again by a large read,
 * few at a time.
 */
const MAX_TEXT_BYTES = 16_384;

/** Interface ids of ERC-165. */
export const INTERFACE_IDS = {
  erc721: '80ac58cd',
  erc1155: 'd9b67a26',
  erc721Metadata: '5b5e139f',
  erc721Enumerable: '780e9d63',
} as const;

/** ERC-165 supportsInterface(bytes4); false on a revert, which is how contracts without ERC-165 answer. */
export function createSupportsInterfaceRead(
  contract: EvmAddress,
  interfaceId: (typeof INTERFACE_IDS)[keyof typeof INTERFACE_IDS],
): ContractRead<boolean> {
  return {
    to: toLowerCaseAddress(contract),
    data: `01ffc9a7${interfaceId.padEnd(64, '0')}`,
    decode: (returnData) => decodeUint256(returnData) === 1n,
    onRevert: { value: false },
  };
}

/** ERC721Enumerable.tokenOfOwnerByIndex(address, uint256): the id of one token of the owner. */
export function createTokenOfOwnerRead(
  collection: EvmAddress,
  owner: string,
  index: number,
): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(collection),
    data: `2f745c59${encodeAddress(owner)}${encodeUint256(BigInt(index))}`,
    decode: decodeUint256,
  };
}

/** ERC-721 tokenURI(uint256). */
export function createTokenUriRead(collection: EvmAddress, tokenId: bigint): ContractRead<string> {
  return {
    to: toLowerCaseAddress(collection),
    data: `c87b56dd${encodeUint256(tokenId)}`,
    decode: (returnData) => decodeText(returnData),
  };
}

/** ERC-1155 uri(uint256), in which `{id}` stands for the id. */
export function createErc1155UriRead(collection: EvmAddress, tokenId: bigint): ContractRead<string> {
  return {
    to: toLowerCaseAddress(collection),
    data: `0e89341c${encodeUint256(tokenId)}`,
    decode: (returnData) => decodeText(returnData),
  };
}

/** The same read for a text that was too long for a read in a batch. */
export const toLargeTextRead = (read: ContractRead<string>): ContractRead<string> => ({
  ...read,
  isLarge: true,
  decode: (returnData) => decodeText(returnData, MAX_LARGE_TEXT_BYTES),
});

/** Decodes an ABI string. Bytes that are not UTF-8 become U+FFFD, as in browsers. */
function decodeText(returnData: string, maxBytes = MAX_TEXT_BYTES): string {
  // Compilers write 32; contracts in assembly may leave words between.
  const offset = Number.parseInt(returnData.slice(0, 64), 16) * 2;
  const start = offset + 64;
  const length = Number.parseInt(returnData.slice(offset, start), 16);
  const digits = returnData.slice(start, start + length * 2);
  const isString = offset >= 64 && length <= maxBytes && digits.length === length * 2;
  if (!isString) throw new MalformedReturnDataError('the contract answered no text');
  return Buffer.from(digits, 'hex').toString('utf8');
}

/** Bounds what a contract can make clients display. */
const MAX_SYMBOL_BYTES = 64;
const MAX_NAME_BYTES = 256;
const STRING_OFFSET_WORD = `${'0'.repeat(62)}20`;

/** ERC-20 symbol(): a string, or bytes32 in tokens from before the standard. */
export function createErc20SymbolRead(token: EvmAddress): ContractRead<string> {
  return { to: toLowerCaseAddress(token), data: '95d89b41', decode: decodeSymbol };
}

/** ERC-20 and ERC-721 name(): a string, or bytes32 in tokens from before the standards. */
export function createTokenNameRead(token: EvmAddress): ContractRead<string> {
  return { to: toLowerCaseAddress(token), data: '06fdde03', decode: decodeName };
}

const decodeSymbol = (returnData: string): string => decodeShownText(returnData, MAX_SYMBOL_BYTES);
const decodeName = (returnData: string): string => decodeShownText(returnData, MAX_NAME_BYTES);

function decodeShownText(returnData: string, maxBytes: number): string {
  const bytes = returnData.length === 64 ? trimPadding(returnData) : readStringBytes(returnData, maxBytes);
  const text = new TextDecoder('utf-8', { fatal: false }).decode(Buffer.from(bytes, 'hex'));
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(text) || text.includes('\ufffd'))
    throw new MalformedReturnDataError('the contract answered a text that cannot be shown');
  return text;
}

/** Hex digits of the text in an ABI-encoded string. */
function readStringBytes(returnData: string, maxBytes: number): string {
  const length = Number.parseInt(returnData.slice(64, 128), 16);
  const isString = returnData.startsWith(STRING_OFFSET_WORD) && length <= maxBytes;
  const bytes = returnData.slice(128, 128 + length * 2);
  if (!isString || bytes.length < length * 2)
    throw new MalformedReturnDataError('the contract answered no short text');
  return bytes;
}

const trimPadding = (word: string): string => word.replace(/(?:00)+$/, '');

/** A POAP of an owner. */
export interface PoapDetails {
  readonly tokenId: bigint;
  readonly eventId: bigint;
}

const WORD_DIGITS = 64;
const RESULT_DIGITS = 2 * WORD_DIGITS;

/** tokenDetailsOfOwnerByIndex(address, uint256) of the POAP contract: one POAP of the owner, by its position. */
export function createPoapDetailsRead(
  contract: EvmAddress,
  owner: string,
  index: number,
): ContractRead<PoapDetails> {
  return {
    to: toLowerCaseAddress(contract),
    data: `67e971ce${encodeAddress(owner)}${encodeNumber(index)}`,
    decode: decodeDetails,
  };
}

function decodeDetails(returnData: string): PoapDetails {
  if (returnData.length !== RESULT_DIGITS)
    throw new MalformedReturnDataError('the contract answered no POAP');
  const readWord = (start: number) => BigInt(`0x${returnData.slice(start, start + WORD_DIGITS)}`);
  return { tokenId: readWord(0), eventId: readWord(WORD_DIGITS) };
}
