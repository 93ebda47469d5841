import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { DeliveryRepository } from './delivery.repository.js';
import type { NextStep } from './delivery.js';

const OUTCOMES = { delivered: 'delivered', pending: 'to_be_retried', failed: 'given_up' } as const;

@Injectable()
export class DeliveryMetrics {
  private readonly attempts: Counter<'outcome'>;
  private readonly dropped: Record<'role' | 'operation' | 'endpoint', Counter>;

  constructor({ metrics, logger }: ServiceContext, deliveries: DeliveryRepository) {
    const registers = [metrics.registry];
    this.attempts = new Counter({
      name: 'callback_attempts_total',
      help: 'Callback delivery attempts, by state of the delivery afterwards.',
      labelNames: ['outcome'] as const,
      registers,
    });
    this.dropped = {
      role: new Counter({
        name: 'role_callbacks_dropped_total',
        help: 'Callbacks of role changes that were not created because an hour of them was waiting for their tenant.',
        registers,
      }),
      operation: new Counter({
        name: 'operation_callbacks_dropped_total',
        help: 'Callbacks of operation changes that were not created because an hour of them was waiting for their tenant.',
        registers,
      }),
      endpoint: new Counter({
        name: 'endpoint_callbacks_dropped_total',
        help: 'Events for callback endpoints that were not created because an hour of them was waiting for their tenant.',
        registers,
      }),
    };
    new Gauge({
      name: 'callbacks_due',
      help: 'Callbacks that are due and not claimed by any instance. Missing while the database is unavailable.',
      registers,
      async collect() {
        this.reset();
        try {
          this.set(await deliveries.countDue());
        } catch (error) {
          logger.debug({ err: error }, 'cannot count due callbacks');
        }
      },
    });
  }

  recordDropped(kind: 'role' | 'operation' | 'endpoint', callbacks: number): void {
    this.dropped[kind].inc(callbacks);
  }

  recordOutcome({ state }: NextStep): void {
    this.attempts.inc({ outcome: OUTCOMES[state] });
  }
}
