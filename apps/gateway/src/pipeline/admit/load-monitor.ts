import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { serviceUnavailable } from '@app/common';
import { ServiceContext } from '@app/service';
import type { Response } from 'express';
import { Counter, Gauge } from 'prom-client';
import { GatewayConfig } from '../../gateway.config.js';

const SAMPLE_INTERVAL_MS = 250;

/** Knows whether this process can take on more: how late its event loop is, and how much is under way. */
@Injectable()
export class LoadMonitor implements OnModuleDestroy {
  private readonly delay = monitorEventLoopDelay({ resolution: 10 });
  private readonly sampler: NodeJS.Timeout;
  private readonly shed: Counter;
  private readonly gauge: Gauge;
  private underWay = 0;
  private isLate = false;

  constructor(
    private readonly config: GatewayConfig,
    { metrics }: ServiceContext,
  ) {
    const registers = [metrics.registry];
    this.shed = new Counter({
      name: 'gateway_requests_shed_total',
      help: 'Requests refused for overload.',
      registers,
    });
    this.gauge = new Gauge({
      name: 'gateway_requests_under_way',
      help: 'Requests being answered.',
      registers,
    });
    this.delay.enable();
    this.sampler = setInterval(() => {
      this.sample();
    }, SAMPLE_INTERVAL_MS).unref();
  }

  /** Takes a request on until its response closes. @throws AppError 503 when that is more than the process can bear */
  admit(response: Response): void {
    if (this.isLate || this.underWay >= this.config.MAX_REQUESTS_UNDER_WAY) {
      this.shed.inc();
      throw serviceUnavailable('service_unavailable', 'The service is overloaded. Try again in a moment.', {
        retryAfter: 1,
      });
    }
    this.underWay += 1;
    response.once('close', () => (this.underWay -= 1));
  }

  onModuleDestroy(): void {
    clearInterval(this.sampler);
    this.delay.disable();
  }

  private sample(): void {
    this.isLate = this.delay.percentile(50) / 1e6 > this.config.MAX_EVENT_LOOP_DELAY_MS;
    this.delay.reset();
    this.gauge.set(this.underWay);
  }
}
