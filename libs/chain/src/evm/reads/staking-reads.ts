import type { EvmAddress } from '@app/dto';
import { decodeAddress, decodeUint256 } from '../codec/abi-decode.js';
import { encodeAddress, encodeUint256, toLowerCaseAddress } from '../codec/abi-encode.js';
import type { ContractRead } from '../codec/contract-read.js';

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
