import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { type CheckRequester, BudgetKeyQueries } from './budget-key.queries.js';
import {
  ContractCheckBudget,
  type LimitExceeded,
  type ContractCheckBudgetSize,
} from './contract-check-budget.js';
import { ContractCheckConfig } from './contract-check.config.js';
import { contractCheckLimitExceeded } from './wallet-signatures.errors.js';

const MOST_HOLDERS = 20_000;

/**
 * Callers choose contracts, and nodes work on those for seconds: nobody has more of that than a share, nor more of a chain
 * than is left of it for all others, and no chain takes all of it.
 */
@Injectable()
export class ContractCheckLimiter {
  private readonly perHolder: ContractCheckBudgetSize;
  private readonly perChain: ContractCheckBudgetSize;
  private readonly holders = new LRUCache<string, ContractCheckBudget>({ max: MOST_HOLDERS });
  private readonly chains = new Map<number, ContractCheckBudget>();
  private readonly refused: Counter<'limit'>;

  constructor(
    config: ContractCheckConfig,
    private readonly askers: BudgetKeyQueries,
    { metrics }: ServiceContext,
  ) {
    this.perHolder = {
      maxConcurrent: config.HOLDER_CONTRACT_CHECKS,
      maxPerMinute: config.HOLDER_CONTRACT_CHECKS_A_MINUTE,
    };
    this.perChain = {
      maxConcurrent: config.CHAIN_CONTRACT_CHECKS,
      maxPerMinute: config.CHAIN_CONTRACT_CHECKS_A_MINUTE,
    };
    this.refused = new Counter({
      name: 'identity_contract_checks_refused_total',
      help: 'Signatures of contract accounts that no node was asked about, because of too many others.',
      labelNames: ['limit'],
      registers: [metrics.registry],
    });
  }

  /** @param chainId of a chain that has nodes. @returns what ends the check. @throws AppError 429 */
  async acquire(asker: CheckRequester, chainId: number): Promise<() => void> {
    const name = await this.askers.loadBudgetKey(asker);
    const holder = this.holders.get(name) ?? new ContractCheckBudget(this.perHolder);
    this.holders.set(name, holder);
    const chain = this.chains.get(chainId) ?? new ContractCheckBudget(this.perChain);
    this.chains.set(chainId, chain);
    this.check('holder', holder.limitExceeded());
    this.check('chain', chain.limitExceededFor(holder));
    holder.acquire();
    chain.acquire();
    return () => {
      holder.release();
      chain.release();
    };
  }

  private check(whose: string, full: LimitExceeded | undefined): void {
    if (!full) return;
    this.refused.inc({ limit: `${whose}_${full.limit}` });
    throw contractCheckLimitExceeded(full.retryAfter);
  }
}
