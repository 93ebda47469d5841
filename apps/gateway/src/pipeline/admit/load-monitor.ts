import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { serviceUnavailable, tooManyRequests, RETRY_AFTER_SECONDS } from '@app/common';
import { Bulkhead } from '@app/limits';
import { ServiceContext } from '@app/service';
import type { Response } from 'express';
import { Counter, Gauge } from 'prom-client';
import { GatewayConfig } from '../../gateway.config.js';

const SAMPLE_INTERVAL_MS = 250;
/** The time between two measurements; each of them wakes the process. */
const RESOLUTION_MS = 20;

const overloaded = () =>
  serviceUnavailable('service_unavailable', 'The service is overloaded. Try again in a moment.', {
    retryAfter: RETRY_AFTER_SECONDS.turn,
  });

/** A client that reads nothing for this long is disconnected. */
export const CLIENT_READ_TIMEOUT_MS = 15_000;

/** Responses of one owner that wait for their clients to read: each takes a connection, and may take 128 KiB. */
const MAX_UNREAD_RESPONSES = 64;

const tooManyInFlight = (limit: number) =>
  tooManyRequests(
    'concurrency_limit_exceeded',
    `You have ${limit} requests in flight, your share at the present load.`,
    { limit, retryAfter: RETRY_AFTER_SECONDS.turn },
  );

const tooManyUnread = () =>
  tooManyRequests(
    'concurrency_limit_exceeded',
    `More than ${MAX_UNREAD_RESPONSES} of your responses are not read yet.`,
    { limit: MAX_UNREAD_RESPONSES, retryAfter: RETRY_AFTER_SECONDS.turn },
  );

/** Sheds requests while the event loop is delayed or too many requests are in flight. */
@Injectable()
export class LoadMonitor implements OnModuleDestroy {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly sampler: NodeJS.Timeout;
  private readonly shedCounter: Counter;
  private readonly inFlightGauge: Gauge;
  /** Owners by response. */
  private readonly owners = new Map<Response, string>();
  private readonly inFlight: Bulkhead;
  private readonly unread = new Bulkhead({ maxPerKey: MAX_UNREAD_RESPONSES });
  private isEventLoopDelayed = false;
  private wasEventLoopDelayed = false;

  constructor(
    private readonly config: GatewayConfig,
    { metrics }: ServiceContext,
  ) {
    const max = config.MAX_REQUESTS_UNDER_WAY;
    this.inFlight = new Bulkhead({ max, maxPerKey: (free) => getShare(free, max) });
    const registers = [metrics.registry];
    this.shedCounter = new Counter({
      name: 'gateway_requests_shed_total',
      help: 'Requests rejected because of overload, or because their owner has too many in flight.',
      registers,
    });
    this.inFlightGauge = new Gauge({
      name: 'gateway_requests_in_flight',
      help: 'Requests in flight.',
      registers,
    });
    this.delay.enable();
    this.sampler = setInterval(() => {
      this.sample();
    }, SAMPLE_INTERVAL_MS).unref();
  }

  /**
   * Counts a request as in flight until its response closes. The share of an owner shrinks with the places that are left, so
   * that owners of slow requests do not shut out a new one.
   * @param owner the tenant, or the address bucket of a caller that is not authenticated yet
   * @throws AppError 503 when the process is overloaded, 429 above the owner's share
   */
  admit(response: Response, owner: string): void {
    if (response.closed || this.owners.has(response)) return;
    const isOverloaded = this.isEventLoopDelayed || this.inFlight.free <= 0;
    if (isOverloaded || !this.inFlight.hasRoom(owner)) {
      this.shedCounter.inc();
      throw isOverloaded ? overloaded() : tooManyInFlight(this.inFlight.countOf(owner));
    }
    if (!this.unread.hasRoom(owner)) {
      this.shedCounter.inc();
      throw tooManyUnread();
    }
    this.owners.set(response, owner);
    this.inFlight.acquire(owner);
    response.once('close', () => {
      this.release(response);
    });
  }

  /** Does not count a request while it waits for its client; `admit` counts it again. */
  release(response: Response): void {
    const owner = this.owners.get(response);
    if (owner === undefined) return;
    this.owners.delete(response);
    this.inFlight.release(owner);
  }

  /** Does not count a request whose response waits only for its client to read, and bounds that wait. */
  leaveToClient(response: Response): void {
    const owner = this.owners.get(response);
    if (owner === undefined) return;
    this.release(response);
    this.unread.acquire(owner);
    response.once('close', () => {
      this.unread.release(owner);
    });
    response.setTimeout(CLIENT_READ_TIMEOUT_MS, () => {
      response.destroy();
    });
  }

  onModuleDestroy(): void {
    clearInterval(this.sampler);
    this.delay.disable();
  }

  private sample(): void {
    // The histogram holds the whole time from one measurement to the next.
    const delayMs = this.delay.percentile(50) / 1e6 - RESOLUTION_MS;
    const isDelayed = delayMs > this.config.MAX_EVENT_LOOP_DELAY_MS;
    // A process that stood still once may leave a sample with that single measurement; an overload goes on.
    this.isEventLoopDelayed = isDelayed && this.wasEventLoopDelayed;
    this.wasEventLoopDelayed = isDelayed;
    this.delay.reset();
    this.inFlightGauge.set(this.inFlight.size);
  }
}

/**
 * The square of the free places, divided by all: 38 % of them for the only owner, and about one nth is left beside n owners.
 * With half of the free places for each, eleven owners would fill all.
 */
const getShare = (free: number, max: number): number => Math.max(1, free ** 2 / max);
