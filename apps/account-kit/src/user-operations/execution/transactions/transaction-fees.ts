import type { PublicClient, Block } from 'viem';
import { limitTip } from '../../../evm/estimation/estimate-fees.js';

/** The newest block. */
export type Head = Pick<Block<bigint, false, 'latest'>, 'number' | 'hash' | 'baseFeePerGas' | 'gasLimit'>;

export const loadHead = (client: PublicClient): Promise<Head> => client.getBlock({ blockTag: 'latest' });

export interface TransactionFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface FeeLimitSettings {
  /** MAX_FEE_PER_GAS */
  readonly maxFeePerGas: bigint;
  /** EXECUTOR_BUMP_LOSS */
  readonly bumpLoss: bigint;
  /** EXECUTOR_TX_FEE_CAP */
  readonly feeCap: bigint;
}

/**
 * 2 × base fee + tip stays sufficient for six full blocks. The tip is bounded like those of operations: they could not pay one that a node
 * makes up, and would all wait.
 */
export async function loadTransactionFees(client: PublicClient, baseFee: bigint): Promise<TransactionFees> {
  const maxPriorityFeePerGas = limitTip(await client.estimateMaxPriorityFeePerGas(), baseFee);
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** What every operation of a bundle pays back, whatever the base fee of its block is. Undefined without an operation that pays. */
export function toPaidFees(operations: readonly TransactionFees[]): TransactionFees | undefined {
  const [first, ...others] = operations;
  return (
    first &&
    others.reduce<TransactionFees>(
      (least, one) => ({
        maxFeePerGas: min(least.maxFeePerGas, one.maxFeePerGas),
        maxPriorityFeePerGas: min(least.maxPriorityFeePerGas, one.maxPriorityFeePerGas),
      }),
      first,
    )
  );
}

/**
 * The highest fees of a transaction. The EntryPoint takes min(maxFeePerGas, base fee + tip) from each operation, so an executor that
 * offers the least of the operations' maxFeePerGas and of their tips is paid back at every base fee.
 * @param bumpLoss what the transaction may lose, in wei; all of its gas limit is taken for used
 */
export function toFeeLimit(
  paid: TransactionFees | undefined,
  gas: bigint,
  { maxFeePerGas, bumpLoss, feeCap }: FeeLimitSettings,
): TransactionFees {
  const ceiling = min(maxFeePerGas, feeCap / gas);
  if (!paid) return { maxFeePerGas: ceiling, maxPriorityFeePerGas: ceiling };
  const loss = bumpLoss / gas;
  const highest = min(ceiling, paid.maxFeePerGas + loss);
  return { maxFeePerGas: highest, maxPriorityFeePerGas: min(highest, paid.maxPriorityFeePerGas + loss) };
}

/** The fees of a first variant. They leave room for one bump, unless the base fee needs it. */
export function chooseFees(
  current: TransactionFees,
  limit: TransactionFees,
  baseFee: bigint,
): TransactionFees {
  const maxPriorityFeePerGas = min(current.maxPriorityFeePerGas, lower(limit.maxPriorityFeePerGas));
  const required = toNextBaseFee(baseFee) + maxPriorityFeePerGas;
  const maxFeePerGas = min(current.maxFeePerGas, lower(limit.maxFeePerGas));
  return { maxFeePerGas: min(limit.maxFeePerGas, max(maxFeePerGas, required)), maxPriorityFeePerGas };
}

/** Nodes replace a transaction only if both fees rise by a tenth. @returns undefined if the limit does not allow that */
export function bumpFees(
  previous: TransactionFees,
  current: TransactionFees,
  limit: TransactionFees,
): TransactionFees | undefined {
  const least = raise(previous);
  if (least.maxFeePerGas > limit.maxFeePerGas || least.maxPriorityFeePerGas > limit.maxPriorityFeePerGas)
    return undefined;
  const bumped = {
    maxFeePerGas: min(limit.maxFeePerGas, max(least.maxFeePerGas, current.maxFeePerGas)),
    maxPriorityFeePerGas: min(
      limit.maxPriorityFeePerGas,
      max(least.maxPriorityFeePerGas, current.maxPriorityFeePerGas),
    ),
  };
  // A last bump takes all that is left: the base fee may rise further, and the tip could not rise with it.
  const isLast = raise(bumped).maxPriorityFeePerGas > limit.maxPriorityFeePerGas;
  return isLast ? { ...bumped, maxFeePerGas: limit.maxFeePerGas } : bumped;
}

/** Fees that replace every variant, whichever of them a node has. */
export function replaceFees(variants: readonly TransactionFees[], current: TransactionFees): TransactionFees {
  return variants.reduce<TransactionFees>((highest, one) => {
    const { maxFeePerGas, maxPriorityFeePerGas } = raise(one);
    return {
      maxFeePerGas: max(highest.maxFeePerGas, maxFeePerGas),
      maxPriorityFeePerGas: max(highest.maxPriorityFeePerGas, maxPriorityFeePerGas),
    };
  }, current);
}

/** Network tips below a quarter of what nodes suggest let a transaction wait for long, and all later nonces of the executor with it. */
const MIN_TIP_SHARE = 4n;

/** Why an operation cannot pay for its share of the next block. */
export function findFeeShortage(
  operation: TransactionFees,
  current: TransactionFees,
  baseFee: bigint,
): string | undefined {
  const tip = min(operation.maxPriorityFeePerGas, current.maxPriorityFeePerGas);
  const required = toNextBaseFee(baseFee) + tip;
  if (operation.maxFeePerGas < required)
    return `fee too low: its maxFeePerGas is ${operation.maxFeePerGas} wei, and a block costs ${required}`;
  if (operation.maxPriorityFeePerGas * MIN_TIP_SHARE < current.maxPriorityFeePerGas)
    return `fee too low: its tip is ${operation.maxPriorityFeePerGas} wei, and nodes suggest ${current.maxPriorityFeePerGas}`;
  return undefined;
}

/** What a transaction offers at least to be in the next block, with the tip that nodes suggest. */
export const toRequiredFee = ({ maxPriorityFeePerGas }: TransactionFees, baseFee: bigint): bigint =>
  toNextBaseFee(baseFee) + maxPriorityFeePerGas;

/**
 * Operations of one transaction have one fee class, because the cheapest of them bounds its fees. The class is by how often the base fee of
 * the next block fits into what the operation pays beside its tip: below 1.5 (the base fee exceeds that after four full blocks), below 3,
 * below 6, and more. Operations are signed with about 1.78. A tip below half of what nodes suggest makes a class of its own.
 */
export function toFeeClass(operation: TransactionFees, current: TransactionFees, baseFee: bigint): number {
  if (operation.maxPriorityFeePerGas * 2n < current.maxPriorityFeePerGas) return 0;
  const tip = min(operation.maxPriorityFeePerGas, current.maxPriorityFeePerGas);
  const halves = (2n * (operation.maxFeePerGas - tip)) / max(1n, toNextBaseFee(baseFee));
  return 1 + FEE_CLASS_HALVES.filter((least) => halves >= least).length;
}
const FEE_CLASS_HALVES = [3n, 6n, 12n];
export const MAX_FEE_CLASS = 1 + FEE_CLASS_HALVES.length;
/** Classes of fees, from dear to cheap. */
export const FEE_CLASSES: readonly number[] = Array.from(
  { length: MAX_FEE_CLASS + 1 },
  (_, index) => MAX_FEE_CLASS - index,
);

/** The highest base fee of the next block: it rises by an eighth at most (EIP-1559). */
export const toNextBaseFee = (baseFee: bigint): bigint => (baseFee * 9n + 7n) / 8n;

const raiseFee = (fee: bigint): bigint => (fee * 11n) / 10n + 1n;
const raise = ({ maxFeePerGas, maxPriorityFeePerGas }: TransactionFees): TransactionFees => ({
  maxFeePerGas: raiseFee(maxFeePerGas),
  maxPriorityFeePerGas: raiseFee(maxPriorityFeePerGas),
});
/** The highest fee that `raiseFee` keeps within another, or 0. */
const lower = (fee: bigint): bigint => max(0n, ((fee - 1n) * 10n) / 11n);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
