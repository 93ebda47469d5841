import { type AwaitedRead, groupBy, mergeIntoParts, splitByTenant } from '../../shared/split-by-tenant.js';
import { type ReadCall } from '../codec/contract-read.js';

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
