import type { Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import { OTHER_BYTE_GAS, PAID_OPERATION_OVERHEAD_GAS, TRANSACTION_GAS, ZERO_BYTE_GAS } from './gas-costs.js';

/** Calldata of a user operation beside its dynamic fields: 22 words, of which about half the bytes are not zero. */
const FIXED_CALLDATA_GAS = 22n * 32n * 10n;
const SIGNATURE_BYTES = 65n;

/**
 * Gas that pays for calldata and for the share of a transaction that an operation needs when it is sent alone.
 * @param data the dynamic fields of the operation
 */
export function estimatePreVerificationGas(data: readonly Hex[]): bigint {
  const bytes = data.map((hex) => hexToBytes(hex)).reduce((sum, part) => sum + countGas(part), 0n);
  return (
    TRANSACTION_GAS +
    PAID_OPERATION_OVERHEAD_GAS +
    FIXED_CALLDATA_GAS +
    SIGNATURE_BYTES * OTHER_BYTE_GAS +
    bytes
  );
}

function countGas(bytes: Uint8Array): bigint {
  const zeros = bytes.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  return BigInt(zeros) * ZERO_BYTE_GAS + BigInt(bytes.length - zeros) * OTHER_BYTE_GAS;
}
