import { MINUTE_SECONDS } from '@app/common';
import type { Address, Hex } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import {
  concatHex,
  encodeAbiParameters,
  hexToBigInt,
  keccak256,
  parseAbiParameters,
  size,
  slice,
} from 'viem/utils';
import type { UserOperationFields } from './user-operation.js';

/** A verified paymaster reads its immutable values and recovers one signature. */
export const PAYMASTER_VERIFICATION_GAS = 60_000n;
/** The time in two words, and the signature. */
export const PAYMASTER_DATA_BYTES = 2 * 32 + 65;
/** A sponsor's signature that ends earlier leaves too little time to include the operation (contract.md section 10). */
export const MIN_SPONSORSHIP_SECONDS = 30 * MINUTE_SECONDS;
/** An own sponsor's signature lasts for twice the minimum: with the minimum itself the signer would refuse every operation. */
export const SPONSORSHIP_SECONDS = 2 * MIN_SPONSORSHIP_SECONDS;
const GAS_LIMITS_OFFSET = 20;
/**
 * Where the paymaster's own data begins in `paymasterAndData`: after its address and two gas limits of 16 bytes each.
 */
export const PAYMASTER_DATA_OFFSET = 52;
const ALWAYS = 0;

const VALIDITY = parseAbiParameters('uint48 validUntil, uint48 validAfter');
const HASHED = parseAbiParameters(
  'address, uint256, bytes32, bytes32, bytes32, uint256, uint256, bytes32, uint256, address, uint48, uint48',
);

/** The stub of a paymaster whose data has this many bytes: as expensive as it can be in calldata. */
export const encodePaymasterStub = (dataBytes: number): Hex =>
  `0x${'ff'.repeat(PAYMASTER_DATA_OFFSET + dataBytes)}`;

/**
 * What the signer of a VerifyingPaymaster signs, as a personal message (ERC-191). It is the `getHash` of the contract, and does not
 * depend on `paymasterData` and the account's signature.
 * @param validUntil in seconds since 1970
 */
export function hashForPaymaster(
  operation: UserOperationFields,
  {
    chainId,
    paymaster,
    validUntil,
  }: { readonly chainId: number; readonly paymaster: Address; readonly validUntil: number },
): Hex {
  const packed = toPackedUserOperation({ ...operation, paymaster, signature: '0x' });
  return keccak256(
    encodeAbiParameters(HASHED, [
      packed.sender,
      packed.nonce,
      keccak256(packed.initCode),
      keccak256(packed.callData),
      packed.accountGasLimits,
      hexToBigInt(slice(packed.paymasterAndData, GAS_LIMITS_OFFSET, PAYMASTER_DATA_OFFSET)),
      packed.preVerificationGas,
      packed.gasFees,
      BigInt(chainId),
      paymaster,
      validUntil,
      ALWAYS,
    ]),
  );
}

/** @param signature 65 bytes */
export function encodePaymasterData(validUntil: number, signature: Hex): Hex {
  const data = concatHex([encodeAbiParameters(VALIDITY, [validUntil, ALWAYS]), signature]);
  if (size(data) !== PAYMASTER_DATA_BYTES) throw new RangeError('a signature of a paymaster has 65 bytes');
  return data;
}
