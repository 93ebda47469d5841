import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/**
 * The least of the setting: twice what one request may need, so that the share of a tenant holds the largest request.
 */
const MIN_CONCURRENT_READS = 40_000;

const concurrentReadsConfigSchema = z.object({
  MAX_CONCURRENT_READS: envInteger(MIN_CONCURRENT_READS, 10_000_000)
    .default(MIN_CONCURRENT_READS)
    .describe(
      'Chain reads of requests and asynchronous checks in progress in one process, half of it for one tenant: the memory that they may take.',
    ),
});

export class ConcurrentReadsConfig extends createConfigClass(concurrentReadsConfigSchema) {}

/**
 * The most reads of a small check, at most one batch: for such checks a quarter is added to the whole, so that large
 * checks do not keep them out.
 */
const MAX_SMALL_READS = 500;
const SMALL_READS_RESERVE = 1 / 4;
/** The part of the reserve that one tenant may take. */
const TENANT_RESERVE_SHARE = 1 / 4;

/** Bounds the reads in progress, because each takes memory and clients choose how many there are: in all, and per tenant. */
export class ConcurrentReadLimiter {
  private readonly byTenant = new Map<string, number>();
  private total = 0;

  constructor(private readonly maxReads: number) {}

  /** Whether the reads fit the tenant's share and the whole. */
  hasRoom(tenantId: string, reads: number): boolean {
    const reserve = reads <= MAX_SMALL_READS ? this.maxReads * SMALL_READS_RESERVE : 0;
    const share = this.maxReads / 2 + reserve * TENANT_RESERVE_SHARE;
    return this.getReads(tenantId) + reads <= share && this.total + reads <= this.maxReads + reserve;
  }

  /** Counts the reads as in progress until `release`. @returns false without room for them */
  acquire(tenantId: string, reads: number): boolean {
    const hasRoom = this.hasRoom(tenantId, reads);
    if (hasRoom) this.add(tenantId, reads);
    return hasRoom;
  }

  release(tenantId: string, reads: number): void {
    this.add(tenantId, -reads);
  }

  private add(tenantId: string, reads: number): void {
    const ofTenant = this.getReads(tenantId) + reads;
    this.total += reads;
    if (ofTenant === 0) this.byTenant.delete(tenantId);
    else this.byTenant.set(tenantId, ofTenant);
  }

  private getReads(tenantId: string): number {
    return this.byTenant.get(tenantId) ?? 0;
  }
}
