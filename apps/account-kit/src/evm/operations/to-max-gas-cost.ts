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
