import type { OperationFees } from '../../../evm/estimation/estimate-fees.js';

/** The highest fees of the operations at a nonce whose place a cancellation is to take; 0 without any. */
export interface ReplacedFees {
  /** Fees of the operations that are no cancellations, whether or not a bundler has them. */
  readonly calls: OperationFees;
  /** Fees of the cancellations that the bundler holds. One that it has refused is not in its mempool, and is replaced at the same price. */
  readonly held: OperationFees;
}

/** Bundlers replace an operation when both fees are 10 % higher (ERC-7769); 12 % leaves room for how they round. */
const REPLACEMENT_PERCENT = 112n;

const toReplacement = (fee: bigint): bigint => (fee * REPLACEMENT_PERCENT + 99n) / 100n;
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const max = (...fees: [bigint, ...bigint[]]): bigint =>
  fees.reduce((one, other) => (one > other ? one : other));

/**
 * The fees of a cancellation at a bundler: those of now, or 12 % above what it replaces. A bundler that accepts cancellations and executes
 * none would raise them without an end, and the tip is paid in full: so each fee is at most 12 % above its ceiling, or above the dearest call.
 * @param ceiling the highest fees of an operation that replaces none
 */
export function toCancellationFees(
  now: OperationFees,
  { calls, held }: ReplacedFees,
  ceiling: OperationFees,
): OperationFees {
  const toFee = (name: keyof OperationFees): bigint =>
    max(
      now[name],
      toReplacement(calls[name]),
      min(toReplacement(held[name]), toReplacement(max(ceiling[name], calls[name]))),
    );
  const maxFeePerGas = toFee('maxFeePerGas');
  return { maxFeePerGas, maxPriorityFeePerGas: min(toFee('maxPriorityFeePerGas'), maxFeePerGas) };
}
