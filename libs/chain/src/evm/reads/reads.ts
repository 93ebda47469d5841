import type { EvmAddress } from '@app/dto';
import { decodeUint256, decodeUint8, decodeAddress } from '../codec/abi-decode.js';
import { encodeAddress, toLowerCaseAddress, encodeUint256 } from '../codec/abi-encode.js';
import { getBlockNumberData } from '../codec/multicall3.js';
import { type ContractRead, multicall3Target } from '../codec/contract-read.js';

/** ERC-20 balanceOf(address), in the token's smallest unit. */
export function createErc20BalanceRead(token: EvmAddress, account: string): ContractRead<bigint> {
  return { to: toLowerCaseAddress(token), data: `70a08231${encodeAddress(account)}`, decode: decodeUint256 };
}

/** ERC-20 decimals(): 0 to 255. */
export function createErc20DecimalsRead(token: EvmAddress): ContractRead<number> {
  return { to: toLowerCaseAddress(token), data: '313ce567', decode: decodeUint8 };
}

/** ERC-721 balanceOf(address): how many tokens of the collection the account holds. */
export function createErc721BalanceRead(collection: EvmAddress, account: string): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(collection),
    data: `70a08231${encodeAddress(account)}`,
    decode: decodeUint256,
  };
}

/** ERC-721 ownerOf(uint256): the owner in lower case; null on a revert, which means that the token has no owner. */
export function createErc721OwnerRead(
  collection: EvmAddress,
  tokenId: bigint,
): ContractRead<EvmAddress | null> {
  return {
    to: toLowerCaseAddress(collection),
    data: `6352211e${encodeUint256(tokenId)}`,
    decode: decodeAddress,
    onRevert: { value: null },
  };
}

/** ERC-1155 balanceOf(address, uint256): how many of one token id the account holds. */
export function createErc1155BalanceRead(
  collection: EvmAddress,
  account: string,
  tokenId: bigint,
): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(collection),
    data: `00fdd58e${encodeAddress(account)}${encodeUint256(tokenId)}`,
    decode: decodeUint256,
  };
}

/** Multicall3.getBlockNumber, whose result reports the block that it was read at. */
export function createBlockNumberRead(): ContractRead<bigint> {
  return { to: multicall3Target, data: getBlockNumberData, decode: decodeUint256 };
}

/** Multicall3.getEthBalance: the coin balance of an account, in its smallest unit. */
export function createNativeBalanceRead(account: string): ContractRead<bigint> {
  return { to: multicall3Target, data: `4d2301cc${encodeAddress(account)}`, decode: decodeUint256 };
}
