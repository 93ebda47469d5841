import type { Hex } from 'viem';
import { size } from 'viem/utils';
import type { SignedUserOperation } from '../../evm/operations/user-operation.js';

const TRANSACTION_GAS = 21_000n;
/** What the EntryPoint spends on one operation beyond its limits, for instance on its event. */
const OPERATION_OVERHEAD_GAS = 50_000n;
/** The floor of EIP-7623, above the usual price of a byte. */
const GAS_PER_BYTE = 40n;

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
    BigInt(size(data)) * GAS_PER_BYTE +
    BigInt(operations.length) * OPERATION_OVERHEAD_GAS +
    withReserve
  );
}
