import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import type { GiveUpReason } from './stored-transaction.js';

/** What transactions of executors cost, and fee bumps that would have cost more than operations pay back. */
@Injectable()
export class TransactionMetrics {
  private readonly heldBumps: Counter<'chain'>;
  private readonly givenUp: Counter<'chain' | 'reason'>;
  private readonly costs: Counter<'chain'>;
  private readonly reimbursements: Counter<'chain'>;

  constructor(context: ServiceContext) {
    const common = { labelNames: ['chain'] as const, registers: [context.metrics.registry] };
    this.heldBumps = new Counter({
      ...common,
      name: 'account_kit_held_bumps_total',
      help: 'Fee bumps that were not made because user operations do not pay them back, by chain. Counted once a block and transaction.',
    });
    this.givenUp = new Counter({
      ...common,
      labelNames: ['chain', 'reason'],
      name: 'account_kit_given_up_nonces_total',
      help: 'Nonces of executors that an empty transaction takes, by chain and reason.',
    });
    this.costs = new Counter({
      ...common,
      name: 'account_kit_executor_cost_coins_total',
      help: 'Coins that executors paid for final transactions, by chain.',
    });
    this.reimbursements = new Counter({
      ...common,
      name: 'account_kit_executor_reimbursed_coins_total',
      help: 'Coins that user operations paid to executors in final transactions, by chain.',
    });
  }

  countHeldBump(chain: number): void {
    this.heldBumps.inc({ chain });
  }

  countGivenUp(chain: number, reason: GiveUpReason): void {
    this.givenUp.inc({ chain, reason });
  }

  /** @param cost in wei */
  countFinal(
    chain: number,
    { cost, reimbursed }: { readonly cost: bigint; readonly reimbursed: bigint },
  ): void {
    this.costs.inc({ chain }, toCoins(cost));
    this.reimbursements.inc({ chain }, toCoins(reimbursed));
  }
}

const toCoins = (wei: bigint): number => Number(wei) / 1e18;
