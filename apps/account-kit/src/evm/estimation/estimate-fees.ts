import type { PublicClient } from 'viem';

interface OperationFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Twice the base fee outlasts six full blocks. An operation is never signed again for its fees (contract.md section 10). */
const BASE_FEE_MULTIPLIER = 2n;
/** All operations of a chain share an estimate for this time. */
const MAX_AGE_MS = 1_000;

interface Estimate {
  readonly fees: Promise<OperationFees>;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

const estimates = new WeakMap<PublicClient, Estimate>();

/** Rejects if the node does not answer; then the next call asks again. */
export function estimateFees(client: PublicClient): Promise<OperationFees> {
  const known = estimates.get(client);
  if (known && performance.now() - known.startedAt < MAX_AGE_MS) return known.fees;
  const estimate = { fees: loadFees(client), startedAt: performance.now() };
  estimates.set(client, estimate);
  estimate.fees.catch(() => {
    if (estimates.get(client) === estimate) estimates.delete(client);
  });
  return estimate.fees;
}

async function loadFees(client: PublicClient): Promise<OperationFees> {
  const [block, maxPriorityFeePerGas] = await Promise.all([
    client.getBlock({ blockTag: 'latest', includeTransactions: false }),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  const maxFeePerGas = BASE_FEE_MULTIPLIER * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas };
}
