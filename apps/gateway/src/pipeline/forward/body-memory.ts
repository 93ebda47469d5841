import { serviceUnavailable, tooManyRequests } from '@app/common';
import type { Response } from 'express';

const MEBIBYTE = 1024 * 1024;
const MAX_BYTES = 128 * MEBIBYTE;
/** A quarter, so that no tenant takes all of it. */
const MAX_BYTES_PER_TENANT = MAX_BYTES / 4;

/** Bounds the memory of large bodies that are being received or forwarded: per process, and per tenant. */
export class BodyMemory {
  private readonly byTenant = new Map<string, number>();
  private total = 0;

  /** Reserves bytes until the response is closed. @throws AppError 429 for the tenant's share, 503 for the whole */
  reserve(tenantId: string, bytes: number, response: Response): void {
    const ofTenant = this.byTenant.get(tenantId) ?? 0;
    if (ofTenant + bytes > MAX_BYTES_PER_TENANT)
      throw tooManyRequests(
        'upload_limit_exceeded',
        `The bodies of your running requests are larger than ${MAX_BYTES_PER_TENANT} bytes in all.`,
        { limit: MAX_BYTES_PER_TENANT, retryAfter: 1 },
      );
    if (this.total + bytes > MAX_BYTES)
      throw serviceUnavailable('service_unavailable', 'The service is overloaded. Try again in a moment.', {
        retryAfter: 1,
      });
    this.add(tenantId, bytes);
    response.once('close', () => {
      this.add(tenantId, -bytes);
    });
  }

  private add(tenantId: string, bytes: number): void {
    this.total += bytes;
    const ofTenant = (this.byTenant.get(tenantId) ?? 0) + bytes;
    if (ofTenant === 0) this.byTenant.delete(tenantId);
    else this.byTenant.set(tenantId, ofTenant);
  }
}
