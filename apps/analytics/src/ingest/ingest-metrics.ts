import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';

/** Why an event is not stored. */
export type DropReason = 'too_old' | 'in_the_future';

@Injectable()
export class IngestMetrics {
  private readonly stored: Counter;
  private readonly dropped: Counter<'reason'>;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.stored = new Counter({
      name: 'analytics_events_stored_total',
      help: 'Community events that were stored and counted.',
      registers,
    });
    this.dropped = new Counter({
      name: 'analytics_events_dropped_total',
      help: 'Community events that were dropped because of their time.',
      labelNames: ['reason'] as const,
      registers,
    });
  }

  recordStored(count: number): void {
    this.stored.inc(count);
  }

  recordDropped(reason: DropReason, count: number): void {
    this.dropped.inc({ reason }, count);
  }
}
