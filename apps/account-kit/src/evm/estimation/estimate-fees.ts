import type { PublicClient } from 'viem';

export interface OperationFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Twice the base fee outlasts six full blocks. An operation is never signed again for its fees (contract.md section 10). */
const BASE_FEE_MULTIPLIER = 2n;

export async function estimateFees(client: PublicClient): Promise<OperationFees> {
  const [block, maxPriorityFeePerGas] = await Promise.all([
    client.getBlock({ blockTag: 'latest', includeTransactions: false }),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  const maxFeePerGas = BASE_FEE_MULTIPLIER * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas };
}
