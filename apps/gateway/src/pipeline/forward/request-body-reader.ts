import { Injectable } from '@nestjs/common';
import { tooManyRequests } from '@app/common';
import { bodyTooLarge, collectBody, hasBody, MAX_BODY_BYTES, toAddressBucket } from '@app/service';
import type { Request, Response } from 'express';
import { LoadMonitor } from '../admit/load-monitor.js';
import { BodyMemory } from './body-memory.js';

/** Of operations that need no caller, and of pages: forms, and JSON of a few fields. */
const MAX_ANONYMOUS_BODY_BYTES = 64 * 1024;
/** Bodies of one address that have not arrived completely. */
const MAX_PENDING_BODIES = 64;

const tooManyPendingBodies = () =>
  tooManyRequests(
    'upload_limit_exceeded',
    `More than ${MAX_PENDING_BODIES} requests of this address are still sending their bodies.`,
    { limit: MAX_PENDING_BODIES, retryAfter: 1 },
  );

/** Reads the body of a request before anything that other requests need is taken for it: a client may stop sending. */
@Injectable()
export class RequestBodyReader {
  /** Bodies that have not arrived completely, by address bucket. */
  private readonly pending = new Map<string, number>();
  private readonly memory = new BodyMemory();

  constructor(private readonly load: LoadMonitor) {}

  /**
   * The whole body; null without one. A request without a caller may send less, and GET and HEAD carry none
   * (RFC 9110 section 9.3.1).
   * @param tenantId undefined for an operation that needs no caller
   * @throws AppError 413, 429 or 503
   */
  async read(request: Request, response: Response, tenantId: string | undefined): Promise<Buffer | null> {
    if (request.method === 'GET' || request.method === 'HEAD' || !hasBody(request)) return null;
    const limit = tenantId === undefined ? MAX_ANONYMOUS_BODY_BYTES : MAX_BODY_BYTES;
    const declared = Number(request.headers['content-length'] ?? NaN);
    if (declared > limit) throw bodyTooLarge(limit);
    // Small bodies are bounded by the requests in flight and the pending bodies of an address.
    if (tenantId !== undefined && !(declared <= MAX_ANONYMOUS_BODY_BYTES))
      this.memory.reserve(tenantId, Number.isNaN(declared) ? limit : declared, response);
    const body = collectBody(request, limit);
    return request.complete ? body : this.waitFor(body, request, response);
  }

  private async waitFor(body: Promise<Buffer>, request: Request, response: Response): Promise<Buffer> {
    const bucket = toAddressBucket(request.ip ?? 'unknown');
    const count = this.pending.get(bucket) ?? 0;
    if (count >= MAX_PENDING_BODIES) {
      body.catch(() => undefined);
      throw tooManyPendingBodies();
    }
    this.pending.set(bucket, count + 1);
    this.load.release(response);
    try {
      return await body;
    } finally {
      const left = (this.pending.get(bucket) ?? 1) - 1;
      if (left === 0) this.pending.delete(bucket);
      else this.pending.set(bucket, left);
      if (!response.closed) this.load.admit(response);
    }
  }
}
