import { tooManyRequests } from '@app/common';
import type { Response } from 'express';
import { overloaded } from '../admit/load-monitor.js';

const MEBIBYTE = 1024 * 1024;
const MAX_BYTES = 128 * MEBIBYTE;
/** An eighth, so that no single tenant or address takes all of it. */
const MAX_BYTES_PER_OWNER = MAX_BYTES / 8;

/**
 * Bounds the memory of bodies that are being received or forwarded: per process, and per owner. Counts the bytes that have
 * arrived, so that a client that stalls takes nothing from others.
 */
export class BodyMemory {
  private readonly byOwner = new Map<string, number>();
  private total = 0;

  /**
   * @param owner the tenant, or the address bucket
   * @returns counts more bytes until the response is closed; throws AppError 429 for the owner's share, 503 for the whole
   */
  open(owner: string, response: Response): (bytes: number) => void {
    let taken = 0;
    response.once('close', () => {
      this.add(owner, -taken);
    });
    return (bytes) => {
      this.check(owner, bytes);
      taken += bytes;
      this.add(owner, bytes);
    };
  }

  private check(owner: string, bytes: number): void {
    if ((this.byOwner.get(owner) ?? 0) + bytes > MAX_BYTES_PER_OWNER)
      throw tooManyRequests(
        'upload_limit_exceeded',
        `The bodies of your running requests are larger than ${MAX_BYTES_PER_OWNER} bytes in all.`,
        { limit: MAX_BYTES_PER_OWNER, retryAfter: 1 },
      );
    if (this.total + bytes > MAX_BYTES) throw overloaded();
  }

  private add(owner: string, bytes: number): void {
    this.total += bytes;
    const ofOwner = (this.byOwner.get(owner) ?? 0) + bytes;
    if (ofOwner === 0) this.byOwner.delete(owner);
    else this.byOwner.set(owner, ofOwner);
  }
}
