import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { DeliveryRepository } from './delivery.repository.js';
import type { NextStep } from './delivery.js';

const OUTCOMES = { delivered: 'delivered', pending: 'to_be_retried', failed: 'given_up' } as const;

/** How callbacks fare. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts: Counter<'outcome'>;

  constructor({ metrics, logger }: ServiceContext, deliveries: DeliveryRepository) {
    const registers = [metrics.registry];
    this.attempts = new Counter({
      name: 'callback_attempts_total',
      help: 'Attempts to deliver a callback, by what became of the delivery.',
      labelNames: ['outcome'] as const,
      registers,
    });
    new Gauge({
      name: 'callbacks_due',
      help: 'Callbacks that are due and not under way, at all instances. Missing while the database does not answer.',
      registers,
      async collect() {
        this.reset();
        try {
          this.set(await deliveries.countDue());
        } catch (error) {
          logger.debug({ err: error }, 'due callbacks cannot be counted');
        }
      },
    });
  }

  recordOutcome({ state }: NextStep): void {
    this.attempts.inc({ outcome: OUTCOMES[state] });
  }
}
