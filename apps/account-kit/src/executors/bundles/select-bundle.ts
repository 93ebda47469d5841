import { type BundleLimits, findExceededLimit, findLimitOfOperation } from './bundle-limits.js';
import type { ClaimedOperation } from './claimed-operation.js';
import { addOperation, EMPTY_BUNDLE } from './estimate-bundle-gas.js';

interface RefusedOperation {
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
    const fits = candidate.version === version && !findExceededLimit(larger, limits);
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

/**
 * Operations that no transaction can take, with the reason: they were accepted while a block had more gas, or EXECUTOR_BUNDLE_GAS was
 * higher. Later operations of their lanes wait for them.
 */
export function refuseTooLarge(
  claimed: readonly ClaimedOperation[],
  limits: BundleLimits,
): {
  readonly refused: readonly RefusedOperation[];
  readonly waiting: readonly ClaimedOperation[];
  readonly fitting: readonly ClaimedOperation[];
} {
  const refused: RefusedOperation[] = [];
  const waiting: ClaimedOperation[] = [];
  const fitting: ClaimedOperation[] = [];
  const waitingLanes = new Set<string>();
  for (const candidate of claimed) {
    const { id, lane, operation } = candidate;
    const exceeded = findLimitOfOperation(operation, limits);
    if (waitingLanes.has(lane)) waiting.push(candidate);
    else if (exceeded) {
      waitingLanes.add(lane);
      const { limit, required, allowed } = exceeded;
      refused.push({
        id,
        reason: `too large: alone in a transaction it needs ${required} ${limit}, and ${allowed} are allowed`,
      });
    } else fitting.push(candidate);
  }
  return { refused, waiting, fitting };
}
