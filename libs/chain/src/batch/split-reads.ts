import type { ReadWaiter } from './fair-read-queue.js';
import type { ReadCall } from '../reads/evm/contract-read.js';

/** A read of a batch and the reads that wait for it. */
interface AwaitedRead {
  readonly waiter: ReadWaiter;
}

/** Parts that one batch is split into. */
const MAX_PARTS = 8;

/**
 * Splits reads of a batch that failed as a whole by tenant, so that a bad contract of one tenant does not delay the others'
 * reads. A read of several tenants is in no part of one of them. `indices` are positions in `reads`; the result is too.
 * @returns undefined if all reads are of the same tenants
 */
export function splitByTenant(
  reads: readonly AwaitedRead[],
  indices: readonly number[],
): number[][] | undefined {
  const byTenant = groupBy(indices, (index) => toTenantKey(reads[index]?.waiter));
  return byTenant.length > 1 ? mergeIntoParts(byTenant) : undefined;
}

/** Equal for reads that the same tenants wait for. */
function toTenantKey(waiter: ReadWaiter | undefined): string | undefined {
  const tenantId = waiter?.group.tenantId;
  const others = new Set<string | undefined>();
  for (let w = waiter; w; w = w.next) if (w.group.tenantId !== tenantId) others.add(w.group.tenantId);
  return others.size === 0 ? tenantId : JSON.stringify([...others.add(tenantId)].sort());
}

export function groupBy(indices: readonly number[], getKey: (index: number) => unknown): number[][] {
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

export interface AwaitedReadCall extends ReadCall, AwaitedRead {}

/**
 * Splits a batch that failed as a whole: by tenant and then by caller, so that a bad contract fails only its caller's reads;
 * the reads of one caller by contract; the reads of one contract in halves. `indices` are two or more positions in `reads`;
 * the result is too.
 */
export function splitReads(reads: readonly AwaitedReadCall[], indices: readonly number[]): number[][] {
  const byTenant = splitByTenant(reads, indices);
  if (byTenant) return byTenant;
  const byCaller = groupBy(indices, (index) => reads[index]?.waiter.group);
  if (byCaller.length > 1) return mergeIntoParts(byCaller);
  const byContract = groupBy(indices, (index) => reads[index]?.to);
  if (byContract.length > 1) return mergeIntoParts(byContract);
  const middle = Math.ceil(indices.length / 2);
  return [indices.slice(0, middle), indices.slice(middle)];
}
