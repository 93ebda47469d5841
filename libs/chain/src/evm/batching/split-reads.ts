import { type ReadCall } from '../nodes/aggregate-request.js';

/** A call and on whose behalf it is made. */
export interface GroupedReadCall extends ReadCall {
  readonly group: object;
}

/** Parts of one batch at a time. */
const MAX_PARTS = 8;

/**
 * Takes a batch apart that failed as a whole: by owner, so that strangers are rid of whoever asked for the bad contract;
 * the reads of one owner by contract; those of one contract in halves. `indices` are places in `reads`, two or more, and
 * so are the parts.
 */
export function splitReads(reads: readonly GroupedReadCall[], indices: readonly number[]): number[][] {
  const owners = groupBy(indices, (index) => reads[index]?.group);
  if (owners.length > 1) return pack(owners);
  const contracts = groupBy(indices, (index) => reads[index]?.to);
  if (contracts.length > 1) return pack(contracts);
  const middle = Math.ceil(indices.length / 2);
  return [indices.slice(0, middle), indices.slice(middle)];
}

function groupBy(indices: readonly number[], keyOf: (index: number) => unknown): number[][] {
  const groups = new Map<unknown, number[]>();
  for (const index of indices) {
    const key = keyOf(index);
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  return [...groups.values()];
}

/** A large group is a part of its own; the small ones share the rest of the parts. */
function pack(groups: number[][]): number[][] {
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
