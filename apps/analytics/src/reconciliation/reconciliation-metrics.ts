import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import type { RepairEvent } from '../rollups/repair-event.js';

@Injectable()
export class ReconciliationMetrics {
  private readonly repairs: Counter<'type'>;
  private readonly communities: Counter;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.repairs = new Counter({
      name: 'analytics_repairs_total',
      help: 'States of members that reconciliation with token-gating began or ended, by event type.',
      labelNames: ['type'] as const,
      registers,
    });
    this.communities = new Counter({
      name: 'analytics_communities_compared_total',
      help: 'Communities whose members were all compared with token-gating.',
      registers,
    });
  }

  recordRepairs(repairs: readonly RepairEvent[]): void {
    for (const { type } of repairs) this.repairs.inc({ type });
  }

  recordCommunity(): void {
    this.communities.inc();
  }
}
