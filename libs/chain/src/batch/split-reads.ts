import type { ReadCall } from '../reads/evm/contract-read.js';
import type { PendingRead } from './fair-read-queue.js';

/** Parts that one batch is split into. */
const MAX_PARTS = 8;

/**
 * Splits reads of a batch that failed as a whole by tenant, so that a bad contract of one tenant does not delay the others'
 * reads. A read of several tenants is in no part of one of them.
 * @returns undefined if all reads are of the same tenants
 */
export function splitByTenant<Call>(
  reads: readonly PendingRead<Call>[],
): (readonly PendingRead<Call>[])[] | undefined {
  const byTenant = groupBy(reads, toTenantKey);
  return byTenant.length > 1 ? mergeIntoParts(byTenant) : undefined;
}

/**
 * Splits two or more reads of EVM contracts that failed as a whole: by tenant and then by caller, so that a bad contract fails
 * only its caller's reads; the reads of one caller by contract; the reads of one contract in halves.
 */
export function splitReads(reads: readonly PendingRead<ReadCall>[]): (readonly PendingRead<ReadCall>[])[] {
  const byTenant = splitByTenant(reads);
  if (byTenant) return byTenant;
  const byCaller = groupBy(reads, ({ waiter }) => waiter.group);
  if (byCaller.length > 1) return mergeIntoParts(byCaller);
  const byContract = groupBy(reads, ({ call }) => call.to);
  return byContract.length > 1 ? mergeIntoParts(byContract) : splitInHalves(reads);
}

export function splitInHalves<T>(items: readonly T[]): [readonly T[], readonly T[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** Equal for reads that the same tenants wait for. */
function toTenantKey({ waiter }: PendingRead<unknown>): string | undefined {
  const { tenantId } = waiter.group;
  const others = new Set<string | undefined>();
  for (let w = waiter.next; w; w = w.next) if (w.group.tenantId !== tenantId) others.add(w.group.tenantId);
  return others.size === 0 ? tenantId : JSON.stringify([...others.add(tenantId)].sort());
}

/** Items with the same key, in their order. */
export function groupBy<T>(items: readonly T[], getKey: (item: T) => unknown): T[][] {
  const groups = new Map<unknown, T[]>();
  for (const item of items) {
    const key = getKey(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

/** Large groups become parts of their own; small groups are spread over the remaining parts. */
function mergeIntoParts<T>(groups: T[][]): T[][] {
  if (groups.length <= MAX_PARTS) return groups;
  const bySize = groups.sort((a, b) => b.length - a.length);
  const total = bySize.reduce((sum, { length }) => sum + length, 0);
  const isLarge = (group: readonly T[], at: number): boolean =>
    at < MAX_PARTS / 2 && group.length * MAX_PARTS > total;
  const large = bySize.filter(isLarge);
  const small = bySize.slice(large.length);
  const shared = Array.from({ length: Math.min(MAX_PARTS - large.length, small.length) }, (): T[] => []);
  small.forEach((group, at) => shared[at % shared.length]?.push(...group));
  return [...large, ...shared];
}
