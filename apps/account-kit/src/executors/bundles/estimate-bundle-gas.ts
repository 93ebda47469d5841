import type { Hex } from 'viem';
import { size } from 'viem/utils';
import {
  FLOOR_OTHER_BYTE_GAS,
  MAX_OPERATION_OVERHEAD_GAS,
  TRANSACTION_GAS,
} from '../../evm/estimation/gas-costs.js';
import type { SignedUserOperation } from '../../evm/operations/user-operation.js';

/** The gas limits that an operation was signed with, in sum. */
export function sumGasLimits(operation: SignedUserOperation): bigint {
  return (
    operation.callGasLimit +
    operation.verificationGasLimit +
    (operation.paymasterVerificationGasLimit ?? 0n) +
    (operation.paymasterPostOpGasLimit ?? 0n)
  );
}

/** The gas limit of a transaction in which every operation may use all of its limits. What is not used is not paid. */
export function estimateBundleGas(operations: readonly SignedUserOperation[], data: Hex): bigint {
  const limits = operations.reduce((sum, operation) => sum + sumGasLimits(operation), 0n);
  // A call gets at most 63/64 of the gas that is left (EIP-150), at two levels.
  const withReserve = (limits * 32n) / 31n;
  return (
    TRANSACTION_GAS +
    BigInt(size(data)) * FLOOR_OTHER_BYTE_GAS +
    BigInt(operations.length) * MAX_OPERATION_OVERHEAD_GAS +
    withReserve
  );
}
