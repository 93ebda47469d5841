import { type BundleLimits, findExceededLimit, findLimitOfOperation, toGasAlone } from './bundle-limits.js';
import type { Address } from 'viem';
import type { ClaimedOperation } from './claimed-operation.js';
import { addOperation, EMPTY_BUNDLE } from './estimate-bundle-gas.js';
import {
  findFeeShortage,
  FEE_CLASSES,
  MAX_FEE_CLASS,
  toFeeClass,
  toNextBaseFee,
  toRequiredFee,
  type TransactionFees,
} from '../transactions/transaction-fees.js';

interface HeldOperation {
  readonly id: string;
  readonly reason: string;
}

interface Selection {
  readonly bundle: readonly ClaimedOperation[];
  readonly rest: readonly ClaimedOperation[];
}

/**
 * The first operations of one EntryPoint that fit into a bundle. Keeps the order of each lane: what comes after an operation that does
 * not fit, waits for it.
 * @param claimed each fits into a transaction of its own
 */
export function selectBundle(claimed: readonly ClaimedOperation[], limits: BundleLimits): Selection {
  const bundle: ClaimedOperation[] = [];
  const rest: ClaimedOperation[] = [];
  const waitingLanes = new Set<string>();
  const version = claimed[0]?.version;
  let size = EMPTY_BUNDLE;
  for (const candidate of claimed) {
    const larger = addOperation(size, candidate.operation);
    const hasRoom = bundle.length === 0 || !findExceededLimit(larger, limits);
    const fits = candidate.version === version && hasRoom;
    if (fits && !waitingLanes.has(candidate.lane)) {
      bundle.push(candidate);
      size = larger;
    } else {
      rest.push(candidate);
      waitingLanes.add(candidate.lane);
    }
  }
  return { bundle, rest };
}

interface ChainConditions {
  /** Bounds of a transaction with one operation. */
  readonly limits: BundleLimits;
  /** Fees of a transaction that is sent now. */
  readonly current: TransactionFees;
  readonly baseFee: bigint;
  /** MAX_FEE_PER_GAS */
  readonly maxFeePerGas: bigint;
  /** EXECUTOR_TX_FEE_CAP */
  readonly feeCap: bigint;
}

interface Holding {
  readonly held: readonly HeldOperation[];
  /** Later operations of the lanes of held operations. */
  readonly waiting: readonly ClaimedOperation[];
  readonly fitting: readonly ClaimedOperation[];
}

/** Holds operations back that fit into no transaction by now, or that pay less than the next block costs. */
export const holdUnsendable = (claimed: readonly ClaimedOperation[], conditions: ChainConditions): Holding =>
  hold(claimed, (candidate) => findObstacle(candidate, conditions));

/**
 * Holds operations back that alone in a transaction may cost more than an executor has, so that the others go on.
 * @param left coins of the executor beside what is in flight, in wei
 */
export const holdUnaffordable = (
  claimed: readonly ClaimedOperation[],
  { executor, left }: { readonly executor: Address; readonly left: bigint },
  toFee: (operation: ClaimedOperation, gas: bigint) => bigint,
): Holding =>
  hold(claimed, (candidate) => {
    const gas = toGasAlone(candidate.operation);
    const cost = gas * toFee(candidate, gas);
    return cost > left
      ? `executor without coins: ${executor} has ${left} wei beside what is in flight, and alone in a transaction it may cost ${cost}`
      : undefined;
  });

function hold(
  claimed: readonly ClaimedOperation[],
  findReason: (candidate: ClaimedOperation) => string | undefined,
): Holding {
  const held: HeldOperation[] = [];
  const waiting: ClaimedOperation[] = [];
  const fitting: ClaimedOperation[] = [];
  const waitingLanes = new Set<string>();
  for (const candidate of claimed) {
    const reason = findReason(candidate);
    if (waitingLanes.has(candidate.lane)) waiting.push(candidate);
    else if (reason === undefined) fitting.push(candidate);
    else {
      held.push({ id: candidate.id, reason });
      waitingLanes.add(candidate.lane);
    }
  }
  return { held, waiting, fitting };
}

/**
 * Fresh operations first, the dear ones of them before the cheap ones; then those that failed before, so that nothing waits for their
 * simulation; then each that goes alone. The operations of one lane stay together: the cheapest of them decides their fee class, so an
 * account that mixes fees delays its own lane only.
 */
export function toGroups(
  claimed: readonly ClaimedOperation[],
  { current, baseFee }: Pick<ChainConditions, 'current' | 'baseFee'>,
): (readonly ClaimedOperation[])[] {
  const classes = new Map<string, number>();
  for (const { lane, operation, isCancellation } of claimed) {
    // The service pays for cancellations, so they bound no fees.
    const feeClass = isCancellation ? MAX_FEE_CLASS : toFeeClass(operation, current, baseFee);
    classes.set(lane, Math.min(feeClass, classes.get(lane) ?? MAX_FEE_CLASS));
  }
  const shared = claimed.filter(({ goesAlone }) => !goesAlone);
  const groupsOf = (isRepeat: boolean) =>
    FEE_CLASSES.map((feeClass) =>
      shared.filter((one) => one.isRepeat === isRepeat && classes.get(one.lane) === feeClass),
    );
  return [
    ...groupsOf(false),
    ...groupsOf(true),
    ...claimed.filter(({ goesAlone }) => goesAlone).map((one) => [one]),
  ];
}

/** Metrics count operations by the beginning of their reason. */
function findObstacle(
  { operation, isCancellation }: ClaimedOperation,
  { limits, current, baseFee, maxFeePerGas, feeCap }: ChainConditions,
): string | undefined {
  const exceeded = findLimitOfOperation(operation, limits);
  if (exceeded) {
    const { limit, required, allowed } = exceeded;
    return `too large: alone in a transaction it needs ${required} ${limit}, and ${allowed} are allowed`;
  }
  if (toNextBaseFee(baseFee) > maxFeePerGas)
    return `fees too high: the base fee is ${baseFee} wei, and transactions offer ${maxFeePerGas} at most`;
  const cost = toGasAlone(operation) * toRequiredFee(current, baseFee);
  if (cost > feeCap)
    return `fees too high: alone in a transaction its gas may cost ${cost} wei, and ${feeCap} are allowed`;
  // The service pays for cancellations.
  return isCancellation ? undefined : findFeeShortage(operation, current, baseFee);
}
