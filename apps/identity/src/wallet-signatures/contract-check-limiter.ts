import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { BudgetKeyQueries, type CheckRequester } from './budget-key.queries.js';
import {
  ContractCheckBudget,
  type ContractCheckBudgetSize,
  type LimitExceeded,
} from './contract-check-budget.js';
import { ContractCheckConfig } from './contract-check.config.js';
import { contractCheckLimitExceeded } from './wallet-signatures.errors.js';

const MAX_TENANTS = 20_000;

/**
 * Limits signature checks by contract wallets per tenant and per chain. Callers choose the contracts, and a malicious one
 * keeps a node busy for seconds.
 */
@Injectable()
export class ContractCheckLimiter {
  private readonly perTenant: ContractCheckBudgetSize;
  private readonly perChain: ContractCheckBudgetSize;
  private readonly tenants = new LRUCache<string, ContractCheckBudget>({ max: MAX_TENANTS });
  private readonly chains = new Map<number, ContractCheckBudget>();
  private readonly refused: Counter<'limit'>;

  constructor(
    config: ContractCheckConfig,
    private readonly budgetKeys: BudgetKeyQueries,
    { metrics }: ServiceContext,
  ) {
    this.perTenant = {
      maxConcurrent: config.HOLDER_CONTRACT_CHECKS,
      maxPerMinute: config.HOLDER_CONTRACT_CHECKS_A_MINUTE,
    };
    this.perChain = {
      maxConcurrent: config.CHAIN_CONTRACT_CHECKS,
      maxPerMinute: config.CHAIN_CONTRACT_CHECKS_A_MINUTE,
    };
    this.refused = new Counter({
      name: 'identity_contract_checks_refused_total',
      help: 'Signature checks by contract wallets refused by a limit of the tenant or the chain.',
      labelNames: ['limit'],
      registers: [metrics.registry],
    });
  }

  /** @param chainId a chain with nodes. @returns a function that releases the check. @throws AppError 429 */
  async acquire(requester: CheckRequester, chainId: number): Promise<() => void> {
    const key = await this.budgetKeys.loadBudgetKey(requester);
    const tenant = this.tenants.get(key) ?? new ContractCheckBudget(this.perTenant);
    this.tenants.set(key, tenant);
    const chain = this.chains.get(chainId) ?? new ContractCheckBudget(this.perChain);
    this.chains.set(chainId, chain);
    this.check('tenant', tenant.limitExceeded());
    this.check('chain', chain.limitExceededFor(tenant));
    tenant.acquire();
    chain.acquire();
    return () => {
      tenant.release();
      chain.release();
    };
  }

  private check(budget: 'tenant' | 'chain', exceeded: LimitExceeded | undefined): void {
    if (!exceeded) return;
    this.refused.inc({ limit: `${budget}_${exceeded.limit}` });
    throw contractCheckLimitExceeded(exceeded.retryAfter);
  }
}
