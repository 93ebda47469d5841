import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { serviceUnavailable, tooManyRequests } from '@app/common';
import { ServiceContext } from '@app/service';
import type { Response } from 'express';
import { Counter, Gauge } from 'prom-client';
import { GatewayConfig } from '../../gateway.config.js';

const SAMPLE_INTERVAL_MS = 250;
/** Between two measurements; each of them wakes the process. */
const RESOLUTION_MS = 20;

export const overloaded = () =>
  serviceUnavailable('service_unavailable', 'The service is overloaded. Try again in a moment.', {
    retryAfter: 1,
  });

const tooManyInFlight = (limit: number) =>
  tooManyRequests(
    'concurrency_limit_exceeded',
    `You have ${limit} requests in flight, as many as are left for all others.`,
    { limit, retryAfter: 1 },
  );

/** Sheds requests while the event loop is delayed or too many requests are in flight. */
@Injectable()
export class LoadMonitor implements OnModuleDestroy {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly sampler: NodeJS.Timeout;
  private readonly shedCounter: Counter;
  private readonly inFlightGauge: Gauge;
  /** Owners by response. */
  private readonly inFlight = new Map<Response, string>();
  private readonly countByOwner = new Map<string, number>();
  private isEventLoopDelayed = false;

  constructor(
    private readonly config: GatewayConfig,
    { metrics }: ServiceContext,
  ) {
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
   * Counts a request as in flight until its response closes. An owner may have as many as it leaves to others, so that a few
   * owners of slow requests never shut out a new one.
   * @param owner the tenant, or the address bucket of a caller that is not authenticated yet
   * @throws AppError 503 when the process is overloaded, 429 above the owner's share
   */
  admit(response: Response, owner: string): void {
    if (response.closed || this.inFlight.has(response)) return;
    const free = this.config.MAX_REQUESTS_UNDER_WAY - this.inFlight.size;
    const count = this.countByOwner.get(owner) ?? 0;
    const isOverloaded = this.isEventLoopDelayed || free <= 0;
    if (isOverloaded || count >= free) {
      this.shedCounter.inc();
      throw isOverloaded ? overloaded() : tooManyInFlight(count);
    }
    this.inFlight.set(response, owner);
    this.countByOwner.set(owner, count + 1);
    response.once('close', () => {
      this.release(response);
    });
  }

  /** Does not count a request while it waits for its client; `admit` counts it again. */
  release(response: Response): void {
    const owner = this.inFlight.get(response);
    if (owner === undefined) return;
    this.inFlight.delete(response);
    const left = (this.countByOwner.get(owner) ?? 1) - 1;
    if (left === 0) this.countByOwner.delete(owner);
    else this.countByOwner.set(owner, left);
  }

  onModuleDestroy(): void {
    clearInterval(this.sampler);
    this.delay.disable();
  }

  private sample(): void {
    // The histogram holds the whole time from one measurement to the next.
    const delayMs = this.delay.percentile(50) / 1e6 - RESOLUTION_MS;
    this.isEventLoopDelayed = delayMs > this.config.MAX_EVENT_LOOP_DELAY_MS;
    this.delay.reset();
    this.inFlightGauge.set(this.inFlight.size);
  }
}
