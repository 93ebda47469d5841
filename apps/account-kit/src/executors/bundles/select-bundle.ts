import type { ClaimedOperation } from './claimed-operation.js';
import { sumGasLimits } from './estimate-bundle-gas.js';

/**
 * The first operations of one EntryPoint that fit into a bundle by their gas limits; at least one. Keeps the order of each lane: what
 * comes after an operation that does not fit, waits for it.
 */
export function selectBundle(
  claimed: readonly ClaimedOperation[],
  maxGas: bigint,
): { bundle: ClaimedOperation[]; rest: ClaimedOperation[] } {
  const bundle: ClaimedOperation[] = [];
  const rest: ClaimedOperation[] = [];
  const waitingLanes = new Set<string>();
  const version = claimed[0]?.version;
  let gas = 0n;
  for (const candidate of claimed) {
    const limit = sumGasLimits(candidate.operation);
    const fits = bundle.length === 0 || gas + limit <= maxGas;
    if (candidate.version === version && fits && !waitingLanes.has(candidate.lane)) {
      bundle.push(candidate);
      gas += limit;
    } else {
      rest.push(candidate);
      waitingLanes.add(candidate.lane);
    }
  }
  return { bundle, rest };
}
