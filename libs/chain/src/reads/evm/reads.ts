import type { EvmAddress } from '@app/dto';
import {
  decodeUint256,
  decodeUint8,
  decodeAddress,
  encodeAddress,
  toLowerCaseAddress,
  encodeUint256,
  MalformedReturnDataError,
} from './abi-codec.js';
import { getBlockNumberData } from './multicall3.js';
import { type ContractRead, multicall3Target, accountCodeTarget } from './contract-read.js';

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

const OWNER_OF = '6352211e';
const PUNK_INDEX_TO_ADDRESS = '58178168';
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Collections from before ERC-721, whose addresses are empty on other chains: how their owners are read, and whether a revert without data means no owner. */
const OLD_COLLECTIONS: Readonly<
  Partial<Record<EvmAddress, { readonly selector: string; readonly revertsBare: boolean }>>
> = {
  // CryptoPunks have no ownerOf, and answer zero for a punk that nobody has.
  '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb': { selector: PUNK_INDEX_TO_ADDRESS, revertsBare: false },
  // CryptoKitties claim another ERC-721, of 2017, and were compiled before reverts had data.
  '0x06012c8cf97bead5deae237070f9587f8e7a266d': { selector: OWNER_OF, revertsBare: true },
};

/**
 * ERC-721 ownerOf(uint256): the owner in lower case; null for a token without owner, for which contracts revert with a reason or
 * answer zero. A revert without data, or for want of the function, is a failure `reverted`.
 */
export function createErc721OwnerRead(
  collection: EvmAddress,
  tokenId: bigint,
): ContractRead<EvmAddress | null> {
  const to = toLowerCaseAddress(collection);
  const old = OLD_COLLECTIONS[to];
  return {
    to,
    data: `${old?.selector ?? OWNER_OF}${encodeUint256(tokenId)}`,
    decode: decodeOwner,
    onRevert: { value: null, needsReason: !old?.revertsBare },
  };
}

function decodeOwner(returnData: string): EvmAddress | null {
  const owner = decodeAddress(returnData);
  return owner === ZERO_ADDRESS ? null : owner;
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

/** Safe.isOwner(address): 1 for an owner, 0 for others. */
export function createSafeOwnerRead(safe: EvmAddress, account: string): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(safe),
    data: `2f54bf6e${encodeAddress(account)}`,
    decode: decodeBoolean,
  };
}

function decodeBoolean(returnData: string): bigint {
  const value = decodeUint256(returnData);
  if (value > 1n) throw new MalformedReturnDataError('the contract answered neither true nor false');
  return value;
}

/** Whether an account is a contract: it has code that is no designator of EIP-7702. Sent beside the calls of its batch. */
export function createAccountCodeRead(account: string): ContractRead<boolean> {
  return { to: accountCodeTarget, data: toLowerCaseAddress(account).slice(2), decode: decodeFlag };
}

function decodeFlag(returnData: string): boolean {
  const flag = decodeUint256(returnData);
  if (flag > 1n) throw new MalformedReturnDataError('the reader answered neither true nor false');
  return flag === 1n;
}

const TOKEN_SELECTORS = { token: 'fc0c546a', asset: '38d52e0f' } as const;

/** The staked token: token() of ERC-900, or asset() of ERC-4626. */
export function createStakedTokenRead(
  contract: EvmAddress,
  source: keyof typeof TOKEN_SELECTORS,
): ContractRead<EvmAddress> {
  return { to: toLowerCaseAddress(contract), data: TOKEN_SELECTORS[source], decode: decodeAddress };
}

/** ERC-900 totalStakedFor(address), in the token's smallest unit. */
export function createStakedAmountRead(contract: EvmAddress, account: string): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(contract),
    data: `4b341aed${encodeAddress(account)}`,
    decode: decodeUint256,
  };
}

/** ERC-4626 convertToAssets(uint256): shares in the smallest unit of the asset. */
export function createSharesToAssetsRead(vault: EvmAddress, shares: bigint): ContractRead<bigint> {
  return { to: toLowerCaseAddress(vault), data: `07a2d13a${encodeUint256(shares)}`, decode: decodeUint256 };
}
