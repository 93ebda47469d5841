import type { PublicClient } from 'viem';
import { parseGwei } from 'viem/utils';
import { feesTooHigh } from './estimation.errors.js';

export interface OperationFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** What an operation would pay, and the newest block for which that holds. */
interface FeeEstimate extends OperationFees {
  readonly baseFeePerGas: bigint;
  readonly blockGasLimit: bigint;
}

/** Twice the base fee outlasts six full blocks. An operation is never signed again for its fees (contract.md section 10). */
const BASE_FEE_MULTIPLIER = 2n;
/**
 * The highest tip where the base fee is low. Chains that ask for a tip beside a base fee of next to nothing ask for 25 to 30 gwei; what a
 * node suggests beyond the bound is a mistake of the node, or an attempt to spend the account's money.
 */
const MAX_PLAIN_TIP = parseGwei('50');

/** The highest tip of an operation. */
export function toMaxTip(baseFeePerGas: bigint): bigint {
  const doubled = BASE_FEE_MULTIPLIER * baseFeePerGas;
  return doubled > MAX_PLAIN_TIP ? doubled : MAX_PLAIN_TIP;
}

/** What counts of the tip that a node suggests, for operations and for the transactions that carry them. */
export function limitTip(suggestedTip: bigint, baseFeePerGas: bigint): bigint {
  const maxTip = toMaxTip(baseFeePerGas);
  return suggestedTip < maxTip ? suggestedTip : maxTip;
}

/** All operations of a chain share an estimate for this time. */
const MAX_AGE_MS = 1_000;

interface Estimate {
  readonly fees: Promise<FeeEstimate>;
  /** When the estimate was requested, as a reading of `performance.now()`. */
  readonly startedAt: number;
}

const estimates = new WeakMap<PublicClient, Estimate>();

/** Rejects if the node does not answer; then the next call asks again. */
export function estimateFees(client: PublicClient): Promise<FeeEstimate> {
  const known = estimates.get(client);
  if (known && performance.now() - known.startedAt < MAX_AGE_MS) return known.fees;
  const estimate = { fees: loadFees(client), startedAt: performance.now() };
  estimates.set(client, estimate);
  estimate.fees.catch(() => {
    if (estimates.get(client) === estimate) estimates.delete(client);
  });
  return estimate.fees;
}

async function loadFees(client: PublicClient): Promise<FeeEstimate> {
  const [block, suggestedTip] = await Promise.all([
    client.getBlock({ blockTag: 'latest', includeTransactions: false }),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  const baseFeePerGas = block.baseFeePerGas ?? 0n;
  const doubled = BASE_FEE_MULTIPLIER * baseFeePerGas;
  const maxPriorityFeePerGas = limitTip(suggestedTip, baseFeePerGas);
  const maxFeePerGas = doubled + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas, baseFeePerGas, blockGasLimit: block.gasLimit };
}

/**
 * The fees of an operation, with less room for a rising base fee where they would exceed the ceiling.
 * @param ceiling MAX_FEE_PER_GAS_<chainId>, in wei
 * @throws AppError 503 `fees_too_high` if what the next block costs with the tip exceeds it
 */
export function limitFees(
  { maxFeePerGas, maxPriorityFeePerGas, baseFeePerGas }: FeeEstimate,
  ceiling: bigint,
): OperationFees {
  if (baseFeePerGas + maxPriorityFeePerGas > ceiling) throw feesTooHigh();
  return { maxFeePerGas: maxFeePerGas < ceiling ? maxFeePerGas : ceiling, maxPriorityFeePerGas };
}
