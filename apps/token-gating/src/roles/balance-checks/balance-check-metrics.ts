import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';

/** Counts the balance check work of this process. */
@Injectable()
export class BalanceCheckMetrics {
  private readonly turns: Gauge;
  private readonly members: Counter<'outcome'>;
  private readonly changes: Counter;
  private readonly postponements: Counter;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.turns = new Gauge({
      name: 'balance_check_turns_running',
      help: 'Balance check turns that are running in this process.',
      registers,
    });
    this.members = new Counter({
      name: 'balance_check_members_total',
      help: 'Members that balance checks have evaluated; a failed one has undetermined roles.',
      labelNames: ['outcome'] as const,
      registers,
    });
    this.changes = new Counter({
      name: 'balance_check_changes_total',
      help: 'Roles that balance checks have granted or revoked.',
      registers,
    });
    this.postponements = new Counter({
      name: 'balance_check_postponements_total',
      help: 'Pages of members that were postponed because nodes did not answer.',
      registers,
    });
  }

  async trackTurn(turn: () => Promise<void>): Promise<void> {
    this.turns.inc();
    try {
      await turn();
    } finally {
      this.turns.dec();
    }
  }

  recordPage(members: number, { changed, failed }: { changed: number; failed: number }): void {
    this.members.inc({ outcome: 'determined' }, members - failed);
    this.members.inc({ outcome: 'failed' }, failed);
    this.changes.inc(changed);
  }

  recordPostponement(): void {
    this.postponements.inc();
  }
}
