import { formatErrorReason, SECOND_MS } from '@app/common';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { RENT_EXEMPT_LAMPORTS, SolanaSponsorConfig } from './messages/solana-sponsor.config.js';
import { SolanaNodesService } from './nodes/solana-nodes.service.js';
import type { SolanaNetwork } from './messages/solana-network.js';
import { SolanaTransactionRepository } from './transactions/solana-transaction.repository.js';

/** Scrapes may come more often than nodes are to be asked. */
const BALANCE_AGE_MS = 30 * SECOND_MS;

/** What tells operators that Solana transactions do not end: their age, and sponsors that run out of coins. */
@Injectable()
export class SolanaMetrics {
  private readonly lamports = new Map<SolanaNetwork, bigint>();
  private loadedAt = -Infinity;
  private loading: Promise<void> | undefined;

  constructor(
    private readonly context: ServiceContext,
    private readonly sponsors: SolanaSponsorConfig,
    private readonly nodes: SolanaNodesService,
    transactions: SolanaTransactionRepository,
  ) {
    const registers = [context.metrics.registry];
    const { logger } = context;
    const loadLamports = () => this.loadLamports();
    new Gauge({
      name: 'account_kit_oldest_solana_transaction_seconds',
      help: 'Age of the oldest Solana transaction that has not ended, by network and state. Missing while the database is unavailable.',
      labelNames: ['network', 'state'],
      registers,
      async collect() {
        this.reset();
        try {
          for (const { network, state, seconds } of await transactions.loadOldestAges())
            this.set({ network, state }, seconds);
        } catch (error) {
          logger.debug({ err: error }, 'cannot load the ages of Solana transactions');
        }
      },
    });
    new Gauge({
      name: 'account_kit_solana_sponsor_lamports',
      help: 'Lamports of the account that pays the fees of Solana transactions, by network. Missing while nodes are unavailable.',
      labelNames: ['network', 'sponsor'],
      registers,
      async collect() {
        const balances = await loadLamports();
        this.reset();
        for (const { network, address: sponsor } of sponsors.list()) {
          const lamports = balances.get(network);
          if (lamports !== undefined) this.set({ network, sponsor }, Number(lamports));
        }
      },
    });
    new Gauge({
      name: 'account_kit_solana_sponsor_affordable_transactions',
      help: 'Solana transactions with a fee of SOLANA_SPONSOR_MAX_LAMPORTS that a sponsor can pay for, by network. Missing while nodes are unavailable.',
      labelNames: ['network', 'sponsor'],
      registers,
      async collect() {
        const balances = await loadLamports();
        this.reset();
        for (const { network, address: sponsor, maxLamports } of sponsors.list()) {
          const spendable = (balances.get(network) ?? 0n) - RENT_EXEMPT_LAMPORTS;
          if (balances.has(network))
            this.set({ network, sponsor }, spendable > 0n ? Number(spendable / maxLamports) : 0);
        }
      },
    });
  }

  private async loadLamports(): Promise<ReadonlyMap<SolanaNetwork, bigint>> {
    if (performance.now() - this.loadedAt > BALANCE_AGE_MS) {
      this.loading ??= this.loadBalances().finally(() => (this.loading = undefined));
      await this.loading;
    }
    return this.lamports;
  }

  private async loadBalances(): Promise<void> {
    await Promise.all(
      this.sponsors.list().map(async ({ network, address }) => {
        try {
          this.lamports.set(network, await this.nodes.use(network, (node) => node.getLamports(address)));
        } catch (error) {
          this.lamports.delete(network);
          const reason = formatErrorReason(error);
          this.context.logger.debug({ network, reason }, 'cannot load the balance of a sponsor');
        }
      }),
    );
    this.loadedAt = performance.now();
  }
}
