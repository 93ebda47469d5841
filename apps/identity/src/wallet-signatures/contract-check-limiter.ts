import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { boundEntries } from '@app/common';
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

/** The budgets of a tenant: its users may use as much of the first one as they leave to the applications themselves. */
interface TenantBudgets {
  readonly tenant: ContractCheckBudget;
  readonly users: ContractCheckBudget;
}

/**
 * Limits signature checks by contract wallets per tenant, for its users, and per chain. Callers choose the contracts, and a
 * malicious one keeps a node busy for seconds.
 */
@Injectable()
export class ContractCheckLimiter {
  private readonly perTenant: ContractCheckBudgetSize;
  private readonly perChain: ContractCheckBudgetSize;
  private readonly tenants = new LRUCache<string, TenantBudgets>(boundEntries(MAX_TENANTS));
  private readonly chains = new Map<number, ContractCheckBudget>();
  private readonly refused: Counter<'limit'>;

  constructor(
    config: ContractCheckConfig,
    private readonly budgetKeys: BudgetKeyQueries,
    { metrics }: ServiceContext,
  ) {
    this.perTenant = {
      maxConcurrent: config.TENANT_CONTRACT_CHECKS,
      maxPerMinute: config.TENANT_CONTRACT_CHECKS_A_MINUTE,
    };
    this.perChain = {
      maxConcurrent: config.CHAIN_CONTRACT_CHECKS,
      maxPerMinute: config.CHAIN_CONTRACT_CHECKS_A_MINUTE,
    };
    this.refused = new Counter({
      name: 'identity_contract_checks_refused_total',
      help: 'Signature checks by contract wallets refused by a limit of the tenant, of its users or of the chain.',
      labelNames: ['limit'],
      registers: [metrics.registry],
    });
  }

  /** @param chainId a chain with nodes. @returns a function that releases the check. @throws AppError 429 */
  async acquire(requester: CheckRequester, chainId: number): Promise<() => void> {
    const { tenant, users } = this.getTenantBudgets(await this.budgetKeys.loadBudgetKey(requester));
    const chain = this.chains.get(chainId) ?? new ContractCheckBudget(this.perChain);
    this.chains.set(chainId, chain);
    this.check('tenant', tenant.limitExceeded());
    if (requester.isUser) this.check('users', tenant.limitExceededFor(users));
    this.check('chain', chain.limitExceededFor(tenant));
    const taken = requester.isUser ? [tenant, users, chain] : [tenant, chain];
    for (const budget of taken) budget.acquire();
    return () => {
      for (const budget of taken) budget.release();
    };
  }

  private getTenantBudgets(key: string): TenantBudgets {
    const budgets = this.tenants.get(key) ?? {
      tenant: new ContractCheckBudget(this.perTenant),
      users: new ContractCheckBudget(this.perTenant),
    };
    this.tenants.set(key, budgets);
    return budgets;
  }

  private check(budget: 'tenant' | 'users' | 'chain', exceeded: LimitExceeded | undefined): void {
    if (!exceeded) return;
    this.refused.inc({ limit: `${budget}_${exceeded.limit}` });
    throw contractCheckLimitExceeded(exceeded.retryAfter);
  }
}
