import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import type { Verdict } from '../rules/verdict.js';
import type { PlannedRule } from './plan-rules.js';

@Injectable()
export class CheckRolesMetrics {
  private readonly checks: Counter;
  private readonly rules: Counter<'type' | 'verdict'>;
  private readonly reads: Histogram;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.checks = new Counter({
      name: 'token_gating_checks_total',
      help: 'Role checks that read from chains.',
      registers,
    });
    this.rules = new Counter({
      name: 'token_gating_rules_total',
      help: 'Rules evaluated, by type and verdict.',
      labelNames: ['type', 'verdict'],
      registers,
    });
    this.reads = new Histogram({
      name: 'token_gating_check_reads',
      help: 'Chain reads of the first round per check, before deduplication.',
      buckets: [1, 2, 5, 10, 50, 100, 500, 1_000, 5_000, 20_000],
      registers,
    });
  }

  observe(planned: readonly PlannedRule[], verdicts: readonly Verdict[]): void {
    this.checks.inc();
    this.reads.observe(planned.reduce((sum, { plan }) => sum + (plan?.reads.length ?? 0), 0));
    planned.forEach(({ rule: { type } }, index) => {
      const verdict = verdicts[index]?.kind;
      if (verdict) this.rules.inc({ type, verdict });
    });
  }
}
