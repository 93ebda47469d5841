import type { Hex } from 'viem';
import { size } from 'viem/utils';
import {
  FLOOR_OTHER_BYTE_GAS,
  MAX_OPERATION_OVERHEAD_GAS,
  TRANSACTION_GAS,
} from '../../../evm/estimation/gas-costs.js';
import type { SignedUserOperation } from '../../../evm/operations/user-operation.js';

/** What decides whether operations fit into one transaction. */
export interface BundleSize {
  readonly operations: number;
  /** The gas limits that the operations were signed with, in sum. */
  readonly gasLimits: bigint;
  /** Call data of `handleOps`. */
  readonly bytes: number;
}

const WORD = 32;
/** The selector of `handleOps`, the position of the operations, the beneficiary, and the number of operations. */
const EMPTY_BYTES = 4 + 3 * WORD;
/** The position of an operation, its nine fields, and the lengths of the four that are dynamic. */
const OPERATION_BYTES = (1 + 9 + 4) * WORD;
/** Bytes before the data of a paymaster: its address and two gas limits. */
const PAYMASTER_BYTES = 20 + 16 + 16;

export const EMPTY_BUNDLE: BundleSize = { operations: 0, gasLimits: 0n, bytes: EMPTY_BYTES };

/** The size of a bundle with one more operation. Encoding the operations for each question would cost more. */
export function addOperation(bundle: BundleSize, operation: SignedUserOperation): BundleSize {
  const { factory, factoryData, callData, paymaster, paymasterData, signature } = operation;
  const initCode = factory === undefined ? 0 : size(factory) + size(factoryData ?? '0x');
  const paymasterBytes = paymaster === undefined ? 0 : PAYMASTER_BYTES + size(paymasterData ?? '0x');
  const dynamic = [initCode, size(callData), paymasterBytes, size(signature)];
  return {
    operations: bundle.operations + 1,
    gasLimits: bundle.gasLimits + sumGasLimits(operation),
    bytes: dynamic.reduce((sum, one) => sum + Math.ceil(one / WORD) * WORD, bundle.bytes + OPERATION_BYTES),
  };
}

/** The gas limit of a transaction in which every operation may use all of its limits. What is not used is not paid. */
export function toBundleGas({ operations, gasLimits, bytes }: BundleSize): bigint {
  // A call gets at most 63/64 of the gas that is left (EIP-150), at two levels.
  const withReserve = (gasLimits * 32n) / 31n;
  return (
    TRANSACTION_GAS +
    BigInt(bytes) * FLOOR_OTHER_BYTE_GAS +
    BigInt(operations) * MAX_OPERATION_OVERHEAD_GAS +
    withReserve
  );
}

/** The gas limit of the transaction with this call data. */
export function estimateBundleGas(operations: readonly SignedUserOperation[], data: Hex): bigint {
  const gasLimits = operations.reduce((sum, operation) => sum + sumGasLimits(operation), 0n);
  return toBundleGas({ operations: operations.length, gasLimits, bytes: size(data) });
}

const sumGasLimits = (operation: SignedUserOperation): bigint =>
  operation.callGasLimit +
  operation.verificationGasLimit +
  (operation.paymasterVerificationGasLimit ?? 0n) +
  (operation.paymasterPostOpGasLimit ?? 0n);
