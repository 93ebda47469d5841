import { type ReadCall } from '../codec/contract-read.js';

export interface GroupedReadCall extends ReadCall {
  /** Identifies the caller that the read is for. */
  readonly group: object;
}

/** Parts that one batch is split into. */
const MAX_PARTS = 8;

/**
 * Splits a batch that failed as a whole: by caller, so that a bad contract fails only its caller's reads; the reads of one
 * caller by contract; the reads of one contract in halves. `indices` are two or more positions in `reads`; the result is too.
 */
export function splitReads(reads: readonly GroupedReadCall[], indices: readonly number[]): number[][] {
  const byCaller = groupBy(indices, (index) => reads[index]?.group);
  if (byCaller.length > 1) return mergeIntoParts(byCaller);
  const byContract = groupBy(indices, (index) => reads[index]?.to);
  if (byContract.length > 1) return mergeIntoParts(byContract);
  const middle = Math.ceil(indices.length / 2);
  return [indices.slice(0, middle), indices.slice(middle)];
}

function groupBy(indices: readonly number[], getKey: (index: number) => unknown): number[][] {
  const groups = new Map<unknown, number[]>();
  for (const index of indices) {
    const key = getKey(index);
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  return [...groups.values()];
}

/** Large groups become parts of their own; small groups are spread over the remaining parts. */
function mergeIntoParts(groups: number[][]): number[][] {
  if (groups.length <= MAX_PARTS) return groups;
  const bySize = groups.sort((a, b) => b.length - a.length);
  const total = bySize.reduce((sum, { length }) => sum + length, 0);
  const isLarge = (group: readonly number[], at: number): boolean =>
    at < MAX_PARTS / 2 && group.length * MAX_PARTS > total;
  const large = bySize.filter(isLarge);
  const small = bySize.slice(large.length);
  const shared = Array.from({ length: Math.min(MAX_PARTS - large.length, small.length) }, (): number[] => []);
  small.forEach((group, at) => shared[at % shared.length]?.push(...group));
  return [...large, ...shared];
}
