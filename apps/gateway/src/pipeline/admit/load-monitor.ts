import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { serviceUnavailable } from '@app/common';
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

/** Sheds requests while the event loop is delayed or too many requests are in flight. */
@Injectable()
export class LoadMonitor implements OnModuleDestroy {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly sampler: NodeJS.Timeout;
  private readonly shedCounter: Counter;
  private readonly inFlightGauge: Gauge;
  private readonly inFlight = new Set<Response>();
  private isEventLoopDelayed = false;

  constructor(
    private readonly config: GatewayConfig,
    { metrics }: ServiceContext,
  ) {
    const registers = [metrics.registry];
    this.shedCounter = new Counter({
      name: 'gateway_requests_shed_total',
      help: 'Requests rejected because of overload.',
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

  /** Counts a request as in flight until its response closes. @throws AppError 503 when the process is overloaded */
  admit(response: Response): void {
    if (this.isEventLoopDelayed || this.inFlight.size >= this.config.MAX_REQUESTS_UNDER_WAY) {
      this.shedCounter.inc();
      throw overloaded();
    }
    if (response.closed) return;
    this.inFlight.add(response);
    response.once('close', () => this.inFlight.delete(response));
  }

  /** Does not count a request while it waits for its client; `admit` counts it again. */
  release(response: Response): void {
    this.inFlight.delete(response);
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
