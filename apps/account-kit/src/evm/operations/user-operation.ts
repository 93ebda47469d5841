import type { Address, Hex } from 'viem';
import { entryPoint07Abi, entryPoint08Abi, toPackedUserOperation } from 'viem/account-abstraction';
import { encodeFunctionData } from 'viem/utils';
import type { AccountVersion } from '../accounts/account-contracts.js';

/** Gas limits of a user operation, and its fee for one unit of gas in wei. */
export interface GasLimits {
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly paymasterVerificationGasLimit?: bigint | null | undefined;
  readonly paymasterPostOpGasLimit?: bigint | null | undefined;
  readonly maxFeePerGas: bigint;
}

/** The most that the gas of a user operation can cost, in wei: what the EntryPoint takes in advance (ERC-4337). */
export const toMaxGasCost = (gas: GasLimits): bigint =>
  (gas.callGasLimit +
    gas.verificationGasLimit +
    gas.preVerificationGas +
    (gas.paymasterVerificationGasLimit ?? 0n) +
    (gas.paymasterPostOpGasLimit ?? 0n)) *
  gas.maxFeePerGas;

/** The fields of a user operation of EntryPoint 0.7 and 0.8, named as in ERC-4337 (and viem). */
export interface UserOperationFields {
  readonly sender: Address;
  /** Key and sequence (`packNonce`). */
  readonly nonce: bigint;
  /** Set together, if the operation deploys the account. */
  readonly factory?: Address;
  readonly factoryData?: Hex;
  readonly callData: Hex;
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly paymaster?: Address;
  readonly paymasterVerificationGasLimit?: bigint;
  readonly paymasterPostOpGasLimit?: bigint;
  readonly paymasterData?: Hex;
}

export interface SignedUserOperation extends UserOperationFields {
  readonly signature: Hex;
}

/** A well-formed signature of nobody: it recovers an address, so that a bundler's estimate verifies it as it does a real one. */
export const STUB_SIGNATURE: Hex =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c';

const SEQUENCE_BITS = 64n;
const MAX_KEY = (1n << 192n) - 1n;
const MAX_SEQUENCE = (1n << SEQUENCE_BITS) - 1n;

/** The nonce of an operation: 192 bits of key, whose nonces are independent of other keys, and 64 bits of sequence. */
export function packNonce({ key, sequence }: { readonly key: bigint; readonly sequence: bigint }): bigint {
  if (key < 0n || key > MAX_KEY) throw new RangeError('a nonce key has at most 192 bits');
  if (sequence < 0n || sequence > MAX_SEQUENCE) throw new RangeError('a nonce sequence has at most 64 bits');
  return (key << SEQUENCE_BITS) | sequence;
}

/** The inverse of `packNonce`. */
export const unpackNonce = (nonce: bigint): { key: bigint; sequence: bigint } => ({
  key: nonce >> SEQUENCE_BITS,
  sequence: nonce & MAX_SEQUENCE,
});

/** Encodes the call of the EntryPoint that executes operations of one version. `beneficiary` gets the fees. */
export function encodeHandleOps(
  version: AccountVersion,
  operations: readonly SignedUserOperation[],
  beneficiary: Address,
): Hex {
  return encodeFunctionData({
    abi: version === '0.8' ? entryPoint08Abi : entryPoint07Abi,
    functionName: 'handleOps',
    args: [operations.map((operation) => toPackedUserOperation(operation)), beneficiary],
  });
}
