import { Injectable } from '@nestjs/common';
import { tooManyRequests, RETRY_AFTER_SECONDS } from '@app/common';
import {
  bodyTooLarge,
  collectBody,
  hasBody,
  MAX_BODY_BYTES,
  ServiceContext,
  takeArrivedBody,
} from '@app/service';
import type { Request, Response } from 'express';
import { Gauge } from 'prom-client';
import { getAddressBucket } from '../admit/address-rate-limiter.js';
import { LoadMonitor } from '../admit/load-monitor.js';
import { BodyMemory } from './body-memory.js';

/** The longest body of operations that need no caller, and of pages: they take forms, and JSON of a few fields. */
const MAX_ANONYMOUS_BODY_BYTES = 64 * 1024;
/** Bodies of one tenant, or of one address without a caller, that have not arrived completely. */
const MAX_PENDING_BODIES = 64;

const tooManyPendingBodies = () =>
  tooManyRequests(
    'upload_limit_exceeded',
    `More than ${MAX_PENDING_BODIES} of your requests are still sending their bodies.`,
    { limit: MAX_PENDING_BODIES, retryAfter: RETRY_AFTER_SECONDS.turn },
  );

let turn: Promise<void> | undefined;

/**
 * Resolves when everything that sockets had to read in this turn of the event loop is parsed; one promise for all requests of the turn.
 * Node announces a request before it parses the body that came with the headers. Waiting for such a body as for one that may never come
 * took 7 % of the time of a request.
 */
function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

/** Reads the body of a request before anything that other requests need is taken for it: a client may stop sending. */
@Injectable()
export class RequestBodyReader {
  /** Bodies that have not arrived completely, by owner. */
  private readonly pending = new Map<string, number>();
  private readonly memory = new BodyMemory();

  constructor(
    private readonly load: LoadMonitor,
    { metrics }: ServiceContext,
  ) {
    const gauge = new Gauge({
      name: 'gateway_request_body_bytes',
      help: 'Bytes of request bodies that arrived after their headers and are being received or forwarded.',
      registers: [metrics.registry],
      collect: () => {
        gauge.set(this.memory.bytes);
      },
    });
  }

  /**
   * The whole body; null without one. A request without a caller may send less, and GET and HEAD carry none
   * (RFC 9110 section 9.3.1). The client must still be connected.
   * @param tenantId undefined for an operation that needs no caller
   * @throws AppError 413, 429 or 503
   */
  async read(request: Request, response: Response, tenantId: string | undefined): Promise<Buffer | null> {
    if (!hasBody(request)) return null;
    if (request.method === 'GET' || request.method === 'HEAD') {
      response.setHeader('Connection', 'close'); // The body is not read.
      return null;
    }
    const limit = tenantId === undefined ? MAX_ANONYMOUS_BODY_BYTES : MAX_BODY_BYTES;
    if (Number(request.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
    if (!request.complete) await endOfTurn();
    return request.complete
      ? takeArrivedBody(request, limit)
      : this.waitFor(request, response, limit, tenantId ?? getAddressBucket(request));
  }

  private async waitFor(request: Request, response: Response, limit: number, owner: string): Promise<Buffer> {
    const count = this.pending.get(owner) ?? 0;
    if (count >= MAX_PENDING_BODIES) throw tooManyPendingBodies();
    this.pending.set(owner, count + 1);
    this.load.release(response);
    const { add, complete, signal } = this.memory.open(owner, response);
    try {
      const body = await collectBody(request, limit, { onBytes: add, signal });
      complete();
      return body;
    } finally {
      const left = (this.pending.get(owner) ?? 1) - 1;
      if (left === 0) this.pending.delete(owner);
      else this.pending.set(owner, left);
      this.load.admit(response, owner);
    }
  }
}
