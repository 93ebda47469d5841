import type { PublicClient } from 'viem';

export interface TransactionFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** 2 × base fee + tip stays sufficient for six full blocks. */
export async function loadTransactionFees(client: PublicClient, baseFee: bigint): Promise<TransactionFees> {
  const maxPriorityFeePerGas = await client.estimateMaxPriorityFeePerGas();
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** Nodes replace a transaction only if both fees rise by a tenth. */
export function bumpFees(previous: TransactionFees, current: TransactionFees): TransactionFees {
  const bump = (fee: bigint, now: bigint): bigint => {
    const raised = (fee * 11n) / 10n + 1n;
    return now > raised ? now : raised;
  };
  return {
    maxFeePerGas: bump(previous.maxFeePerGas, current.maxFeePerGas),
    maxPriorityFeePerGas: bump(previous.maxPriorityFeePerGas, current.maxPriorityFeePerGas),
  };
}
