import type { EvmAddress } from '@app/dto';
import { decodeUint256, MalformedReturnDataError } from '../codec/abi-decode.js';
import { encodeAddress, encodeUint256, toLowerCaseAddress } from '../codec/abi-encode.js';
import { type ContractRead, MAX_LARGE_TEXT_BYTES } from '../codec/contract-read.js';

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
