import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import type { ActionOutcome } from './action-outcome.js';

@Injectable()
export class CustomActionMetrics {
  private readonly actions: Counter<'outcome'>;

  constructor({ metrics }: ServiceContext) {
    this.actions = new Counter({
      name: 'custom_actions_total',
      help: 'Custom actions by outcome; `not_run` for those that waited too long, whose signer failed, or whose worker did.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  /** Counts how a run ends. */
  async observe(run: Promise<ActionOutcome>): Promise<ActionOutcome> {
    try {
      const result = await run;
      this.actions.inc({ outcome: result.outcome });
      return result;
    } catch (error) {
      this.actions.inc({ outcome: 'not_run' });
      throw error;
    }
  }
}
