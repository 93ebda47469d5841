import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';

/** How checks of communities fare in this process. */
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
      help: 'Communities whose members are being checked.',
      registers,
    });
    this.members = new Counter({
      name: 'balance_check_members_total',
      help: 'Members that checks of communities looked at; failed ones have roles that could not be told.',
      labelNames: ['outcome'] as const,
      registers,
    });
    this.changes = new Counter({
      name: 'balance_check_changes_total',
      help: 'Roles that checks of communities granted or revoked.',
      registers,
    });
    this.postponements = new Counter({
      name: 'balance_check_postponements_total',
      help: 'Pages of members that wait for nodes that did not answer.',
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
    this.members.inc({ outcome: 'told' }, members - failed);
    this.members.inc({ outcome: 'failed' }, failed);
    this.changes.inc(changed);
  }

  recordPostponement(): void {
    this.postponements.inc();
  }
}
