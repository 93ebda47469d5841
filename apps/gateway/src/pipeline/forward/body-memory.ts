import { tooManyRequests, RETRY_AFTER_SECONDS } from '@app/common';
import type { Response } from 'express';

const MEBIBYTE = 1024 * 1024;
export const MAX_BYTES = 128 * MEBIBYTE;
/** An eighth, so that one owner alone does not make the bodies of others wait for their share. */
export const MAX_BYTES_PER_OWNER = MAX_BYTES / 8;

const tooManyBytes = (limit: number) =>
  tooManyRequests(
    'upload_limit_exceeded',
    `The bodies of your running requests are larger than ${limit} bytes in all, which is your share now.`,
    { limit, retryAfter: RETRY_AFTER_SECONDS.turn },
  );

interface Owner {
  bytes: number;
  readonly bodies: Set<Body>;
}

/** The memory of one body. */
interface Body {
  bytes: number;
  /** Ends the request, so that its memory is free. */
  evict: (error: Error) => void;
  isReceived: boolean;
}

export interface OpenBody {
  /** Aborts with an AppError 429 when the body has to leave its memory to another owner. */
  readonly signal: AbortSignal;
  /** Counts bytes until the response closes. @throws AppError 429 above the owner's share */
  readonly add: (bytes: number) => void;
  /** Call it when the body is complete: from then on its memory is freed by disconnecting the client. */
  readonly complete: () => void;
}

/**
 * Bounds the memory of bodies that are being received or forwarded. Counts the bytes that have arrived, so that a client that
 * stalls takes nothing from others. When the memory is full, the owner with the most bytes loses a body to one with less:
 * however many owners fill it, each has the same share.
 */
export class BodyMemory {
  private readonly owners = new Map<string, Owner>();
  private total = 0;

  get bytes(): number {
    return this.total;
  }

  /** @param ownerId the tenant, or the address bucket */
  open(ownerId: string, response: Response): OpenBody {
    const received = new AbortController();
    const body: Body = {
      bytes: 0,
      isReceived: false,
      evict: (error) => {
        received.abort(error);
      },
    };
    response.once('close', () => {
      this.remove(ownerId, body);
    });
    return {
      signal: received.signal,
      add: (bytes) => {
        this.makeRoom(ownerId, bytes);
        this.add(ownerId, body, bytes);
      },
      complete: () => {
        body.isReceived = true;
        body.evict = () => response.destroy();
      },
    };
  }

  private makeRoom(ownerId: string, bytes: number): void {
    const wanted = (this.owners.get(ownerId)?.bytes ?? 0) + bytes;
    if (wanted > MAX_BYTES_PER_OWNER) throw tooManyBytes(MAX_BYTES_PER_OWNER);
    while (this.total + bytes > MAX_BYTES) {
      const [largestId, largest] = findLargest(this.owners, ([, owner]) => owner.bytes);
      if (largest.bytes <= wanted) throw tooManyBytes(largest.bytes);
      const error = tooManyBytes(largest.bytes);
      const body = findLargest(largest.bodies, toEvictionRank);
      this.remove(largestId, body);
      body.evict(error);
    }
  }

  private add(ownerId: string, body: Body, bytes: number): void {
    const owner = this.owners.get(ownerId) ?? { bytes: 0, bodies: new Set() };
    this.owners.set(ownerId, owner);
    owner.bodies.add(body);
    owner.bytes += bytes;
    body.bytes += bytes;
    this.total += bytes;
  }

  private remove(ownerId: string, body: Body): void {
    const owner = this.owners.get(ownerId);
    if (!owner?.bodies.delete(body)) return;
    owner.bytes -= body.bytes;
    this.total -= body.bytes;
    if (owner.bodies.size === 0) this.owners.delete(ownerId);
  }
}

/** Bodies that are still being received come first: a request that was forwarded may have had its effect already. */
const toEvictionRank = ({ bytes, isReceived }: Body): number => (isReceived ? bytes - MAX_BYTES : bytes);

function findLargest<T>(items: Iterable<T>, toSize: (item: T) => number): T {
  let largest: { item: T; size: number } | undefined;
  for (const item of items) {
    const size = toSize(item);
    if (!largest || size > largest.size) largest = { item, size };
  }
  if (!largest) throw new Error('There are no bodies to evict');
  return largest.item;
}
